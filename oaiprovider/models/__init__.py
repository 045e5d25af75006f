"""What the provider itself keeps: profiles of harvesters, containers of Identify, and uploaded crosswalks."""

from oaiprovider.models.crosswalk import Crosswalk, Generation
from oaiprovider.models.profile import IdentifyDescription, Profile, default_terms, ensure_any

__all__ = ["Crosswalk", "Generation", "IdentifyDescription", "Profile", "default_terms", "ensure_any"]
