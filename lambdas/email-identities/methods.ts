import type { emailIdentities } from '../../contract/admin/email-identities.ts';
import { unimplemented, type Behaviours } from '../platform/admin-pipe.ts';

/** What /email-identities does. */
export const emailIdentitiesMethods = (): Behaviours<typeof emailIdentities> => ({
  AddEmailIdentity: unimplemented,
  ListEmailIdentities: unimplemented,
  RemoveEmailIdentity: unimplemented,
  ResendVerificationEmail: unimplemented,
});
