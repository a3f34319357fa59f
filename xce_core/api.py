"""What a policy or plugin author imports: these names are kept stable."""

from xce_core.hookspecs import API_VERSION as API_VERSION
from xce_core.hookspecs import hookimpl as hookimpl
from xce_core.model.cluster import Cluster as Cluster
from xce_core.model.cluster import Host as Host
from xce_core.model.cluster import Order as Order
from xce_core.model.cluster import Queue as Queue
from xce_core.model.decisions import Allocation as Allocation
from xce_core.model.decisions import Dispatch as Dispatch
from xce_core.model.decisions import Pend as Pend
from xce_core.model.decisions import Placement as Placement
from xce_core.model.jobs import Job as Job
from xce_core.model.jobs import JobState as JobState
from xce_core.model.jobs import Seconds as Seconds
from xce_core.model.plans import Plan as Plan
from xce_core.sched.allocator import HostOrder as HostOrder
from xce_core.sched.ask import Ask as Ask
from xce_core.sched.forecast import Forecast as Forecast
from xce_core.sched.generators import PlanGenerator as PlanGenerator
from xce_core.sched.outcomes import Election as Election
from xce_core.sched.outcomes import HoldBack as HoldBack
from xce_core.sched.outcomes import NoDecision as NoDecision
from xce_core.sched.outcomes import Outcome as Outcome
from xce_core.sched.outcomes import Selection as Selection
from xce_core.sched.policy import Policy as Policy
from xce_core.sched.views import Session as Session
