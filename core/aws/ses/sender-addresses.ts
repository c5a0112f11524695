import type { VerificationStatus } from '../../../contract/admin/domains.ts';

/** A single address from which mail may be sent, once its owner has followed the verification link. */
export type SenderAddress = { readonly email: string; readonly status: VerificationStatus };

/**
 * Single sender addresses at the sending provider. Adapter: `ses-sender-addresses.ts`; the fake in `test/fakes/` passes
 * the same suite.
 */
export type SenderAddresses = {
  /**
   * Registers an address and marks it as registered by this deployment. The provider sends it a mail with a
   * verification link.
   * @returns false when the address is registered already; then no mail is sent.
   * @throws InvalidInput for an address that the provider refuses, LimitReached at the provider's limit of addresses.
   */
  register(email: string): Promise<boolean>;
  /** Finds an address. @returns undefined when the provider does not know the address. */
  find(email: string): Promise<SenderAddress | undefined>;
  /**
   * Returns a page of at most `size` addresses; `next` is the provider's token for the next page. A page with a `next`
   * may have fewer addresses or none, when the provider lists many domains between them.
   * @throws InvalidInput for an `after` that has expired.
   */
  list(after: string | undefined, size: number): Promise<{ readonly items: readonly SenderAddress[]; readonly next: string | undefined }>;
  /**
   * Removes an address that this deployment registered. @returns false when the provider does not know the address.
   * @throws FailedPrecondition for an address that another application registered. It stays.
   */
  remove(email: string): Promise<boolean>;
  /** Lists all identities from which mail may be sent now: addresses and domains. */
  listVerifiedIdentities(): Promise<string[]>;
};
