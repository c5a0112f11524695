import type { User } from '../../../contract/admin/users.ts';

/** A person's record at the identity provider, as the contract has it. */
export type IdpIdentity = NonNullable<User['idp_identities']>[number];

/** Where people sign in. Adapter: `cognito-identity-provider.ts`; the fake in `test/fakes/` passes the same suite. Addresses are in lower case. */
export type IdentityProvider = {
  /**
   * Makes the person and has an invitation sent; somebody who is there already is answered as they are, without another invitation.
   * @throws InvalidInput for an address that the provider does not take.
   */
  invite(email: string): Promise<IdpIdentity>;
  /** Blocks sign-in and ends every session; nothing where there is no such person. */
  block(username: string): Promise<void>;
  /** Takes back {@link block}; nothing where there is no such person. */
  unblock(username: string): Promise<void>;
  /** @param name the username or the address. */
  find(name: string): Promise<IdpIdentity | undefined>;
};
