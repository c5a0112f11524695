/** A provider said no to what it was asked for, and will say so again: the asking is wrong, not the moment. `message` is the provider's. */
export class ProviderRefusal extends Error {
  override readonly name = 'ProviderRefusal';
}
