"""Copy the records of a provider into a folder: one file a record and a manifest. No link, no catalogue, no server.

Used by `manage.py copy`. What a list is asked for with, what a fault means and how long to wait is as for links.
"""
