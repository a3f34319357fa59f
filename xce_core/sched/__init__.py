"""The scheduler: what is free, what a job needs, who is next and where it goes. No I/O."""
