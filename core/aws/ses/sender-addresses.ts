import type { VerificationStatus } from '../../../contract/admin/domains.ts';

/** A single address that mail may be sent from once its owner has followed the link. */
export type SenderAddress = { readonly email: string; readonly status: VerificationStatus };

/** Single sender addresses at the sending provider. Adapter: `ses-sender-addresses.ts`; the fake in `test/fakes/` passes the same suite. */
export type SenderAddresses = {
  /**
   * Registers an address; the provider sends it a mail with a link.
   * @returns false when it is registered already, and then no mail is sent.
   * @throws InvalidInput for an address that the provider does not take, LimitReached when it takes no more.
   */
  register(email: string): Promise<boolean>;
  /** Undefined when the provider does not know the address. */
  find(email: string): Promise<SenderAddress | undefined>;
  /** A page of the addresses. `next` is the provider's own word for where the next one begins. @throws InvalidInput for an `after` that it does not know any more. */
  list(after: string | undefined, size: number): Promise<{ readonly items: readonly SenderAddress[]; readonly next: string | undefined }>;
  /** @returns false when the provider did not know the address. */
  remove(email: string): Promise<boolean>;
  /** Everything that mail may be sent from now: addresses and domains. */
  listVerifiedIdentities(): Promise<string[]>;
};
