"""The real logs that whole replays are held against."""

LOGS = [
    ("HPC2N-2002-2.2-cln.swf.gz", 0),
    ("SDSC-BLUE-2000-4.2-cln.swf.gz", 0),
    ("NASA-iPSC-1993-3.1-cln.swf.gz", 0),
    ("KTH-SP2-1996-2.swf.gz", 0),
    ("LLNL-Atlas-2006-2.1-cln.swf.gz", 0),
    ("theta_2022.swf.gz", 0),
    ("wagap-2013.swf.gz", 2176),
    ("alea-hpc2n-head.swf", 0),
    ("lublin_256.swf.gz", 256),
    ("pyss-easy-KTH-SP2.swf.gz", 100),
    ("pyss-easy-SDSC-BLUE.swf.gz", 1152),
]
"""Each log, with the processors to be given where its header does not say; else 0."""
