import { directoryKeys } from '../../contract/deployment/keys.ts';
import type { Write } from '../storage/table.ts';

/**
 * The write that requests that the identity-sync Lambda brings Identities in step, for the transaction that changes what they
 * depend on. @param id the id of a domain, of a group whose members have an Identity, or of an account.
 */
export const identityRequest = (id: string): Write => ({ update: directoryKeys.identityTask(id), add: { version: 1 }, remove: ['after'] });
