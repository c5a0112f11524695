import type { Forwarding } from '../../../contract/admin/aliases.ts';
import { isConfirmed, type StoredForwarding } from './forwardings.ts';

/** The forwarding of an account as the admin API returns it. @param stored undefined for an account that forwards nothing. */
export const forwardingOnWire = (account_id: string, stored: StoredForwarding | undefined): Forwarding => ({
  account_id,
  addresses: (stored?.addresses ?? []).map((address) => ({ email: address.email, account_id: address.account_id, is_confirmed: isConfirmed(address) })),
  keep_copy: stored?.keep_copy ?? true,
  updated_at: stored?.updated_at,
});
