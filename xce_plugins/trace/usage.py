"""What help says of ``trace`` and ``info trace``."""

from __future__ import annotations

USAGE = (
    "trace on all|job JOB... [level summary|full] [lines N] [format text|json] [file PATH]",
    "trace off",
    "trace status",
)
"""The forms of the command."""

TEXT = """Explain decisions: why a job was selected, what was tried, why each host was accepted or
rejected, and what came of it. A change takes effect when the next session begins.

  trace on all           every job
  trace on job JOB...    these jobs: 12, an array's element 12[3], an array 12 as a whole;
                         jobs that do not exist yet may be named
    level summary|full   one line for each position, or one for each host (summary)
    lines N              at most N lines on requirements, checks, plans and hosts (1000)
    format text|json     what is written to the file: the lines shown, or JSON Lines (text)
    file PATH            append to a file as well; comes last, blanks and quotes are allowed
  trace off              stop; `info trace` still shows what was stored
  trace status           what is traced, and how much memory stored traces take"""
"""All about the command."""

INFO_USAGE = "info trace JOB [json]"

INFO_SUMMARY = "show the latest decision trace of a job"

INFO_TEXT = """Show the latest decision trace of a job, at the level at which it was captured and in
the units that are set now; with `json` in its machine form. For an array (12) the traces of its
elements in index order. `trace` says which jobs are traced."""
