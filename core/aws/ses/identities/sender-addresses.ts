import type { VerificationStatus } from '../../../../contract/admin/domains.ts';

/** A single address that mail may be sent from once its owner has followed the verification link. */
export type SenderAddress = { readonly email: string; readonly status: VerificationStatus };

/**
 * Single sender addresses at the sending provider. Adapter: `ses-sender-addresses.ts`; the fake in `test/fakes/` passes
 * the same suite.
 */
export type SenderAddresses = {
  /**
   * Registers an address. The provider sends it a mail with a verification link.
   * @returns false when the address is registered already; no mail is sent then.
   * @throws InvalidInput for an address that the provider refuses, LimitReached at the provider's limit of addresses.
   */
  register(email: string): Promise<boolean>;
  /** Undefined when the provider does not know the address. */
  find(email: string): Promise<SenderAddress | undefined>;
  /**
   * Returns a page of at most `size` addresses; `next` is the provider's token for the next page. A page with a `next`
   * may be shorter, even empty, when the provider has many domains between the addresses.
   * @throws InvalidInput for an `after` that has expired.
   */
  list(after: string | undefined, size: number): Promise<{ readonly items: readonly SenderAddress[]; readonly next: string | undefined }>;
  /** @returns false when the provider does not know the address. */
  remove(email: string): Promise<boolean>;
  /** Lists all identities that mail may be sent from now: addresses and domains. */
  listVerifiedIdentities(): Promise<string[]>;
};
