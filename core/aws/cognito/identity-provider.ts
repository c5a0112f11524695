import type { User } from '../../../contract/admin/users.ts';

/** A person's record at the identity provider, as the contract has it. */
export type IdpIdentity = NonNullable<User['idp_identities']>[number];

/**
 * The people who can sign in. Adapter: `cognito-identity-provider.ts`; the fake in `test/fakes/` passes the same suite.
 * Addresses are in lower case.
 */
export type IdentityProvider = {
  /**
   * Creates the person and sends an invitation. An existing person is returned without another invitation.
   * @throws InvalidInput for an address that the provider refuses; Unavailable when the invitation can't be sent.
   */
  invite(email: string): Promise<IdpIdentity>;
  /** Blocks sign-in and ends every session. An unknown person is ignored. */
  block(username: string): Promise<void>;
  /** Reverses {@link IdentityProvider.block}. An unknown person is ignored. */
  unblock(username: string): Promise<void>;
  /** @param name the username or the address. */
  find(name: string): Promise<IdpIdentity | undefined>;
};
