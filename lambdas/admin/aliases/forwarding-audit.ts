import type { Account } from '../../../contract/admin/accounts.ts';
import type { StoredForwarding } from '../../../core/directory/forwarding/forwardings.ts';
import { changesBetween, type Audit } from '../../../core/rpc/audit.ts';
import type { Write } from '../../../core/storage/table.ts';

const audited = (forwarding: StoredForwarding | undefined) =>
  forwarding && { addresses: forwarding.addresses.map(({ email }) => email).join(' '), keep_copy: forwarding.keep_copy };

/** Describes the change of an account's forwarding, and returns the writes that record its success. */
export const auditForwarding =
  (audit: Audit, account: Pick<Account, 'account_id' | 'name'> | undefined) =>
  (before: StoredForwarding | undefined, after: StoredForwarding | undefined): readonly Write[] => {
    const changes = changesBetween(audited(before), audited(after), ['addresses', 'keep_copy']);
    audit.describe({ ...(account && { entity_id: account.account_id, entity_name: account.name }), changes });
    return audit.successWrites();
  };
