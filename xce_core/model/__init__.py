"""The model: values that describe the cluster, its jobs and their amounts."""
