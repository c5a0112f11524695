import { aliases as contract } from '../../../contract/admin/aliases.ts';
import { missingRole } from '../../../contract/rpc/admin-roles.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import { forwardingOnWire } from '../../../core/directory/forwarding/forwarding-on-wire.ts';
import type { Forwardings, ForwardTarget } from '../../../core/directory/forwarding/forwardings.ts';
import { requestLinks } from '../../../core/directory/forwarding/link-request.ts';
import type { AdminProtection } from '../../../core/directory/users/admin-protection.ts';
import type { Caller } from '../../../core/rpc/admin-gate.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { Queue } from '../../../core/runtime/lambda/queue.ts';
import { auditForwarding } from './forwarding-audit.ts';

type Dependencies = {
  readonly forwardings: Pick<Forwardings, 'put'>;
  readonly findForwardTargets: (accountId: string, emails: readonly string[]) => Promise<readonly ForwardTarget[]>;
  readonly accounts: Pick<Accounts, 'findAll'>;
  readonly protection: Pick<AdminProtection, 'accountsOfAdmins'>;
  /** The queue of received mail, whose Lambda mails the links. */
  readonly inboundQueue: Queue;
  readonly clock: Clock;
};

/** Requires that a caller without the role ALL forwards nothing to an admin. @throws RpcError permission_denied. */
const refuseAdmins = async (targets: readonly ForwardTarget[], { role }: Caller, { protection }: Pick<Dependencies, 'protection'>): Promise<void> => {
  if (role === 'ALL') return;
  const admins = await protection.accountsOfAdmins(targets.flatMap(({ account_id: id }) => id ?? []));
  const refused = targets.filter(({ account_id: id }) => id !== undefined && admins.has(id)).map(({ email }) => email);
  if (refused.length > 0) throw new RpcError('permission_denied', missingRole(role, `forwarding to an account that an admin owns (${refused.join(', ')})`));
};

export const putForwarding = (dependencies: Dependencies) =>
  adminMethod(contract.methods.PutForwarding, {
    prefetch: ({ account_id, addresses }) => Promise.all([dependencies.findForwardTargets(account_id, addresses), dependencies.accounts.findAll([account_id])]),
    async run({ account_id, keep_copy }, { audit, caller }, [addresses, [account]]) {
      await refuseAdmins(addresses, caller, dependencies);
      const now = dependencies.clock();
      const stored = await dependencies.forwardings.put(account_id, { addresses, keep_copy }, now, auditForwarding(audit, account));
      await requestLinks(stored, now, dependencies.inboundQueue);
      return { forwarding: forwardingOnWire(account_id, stored) };
    },
  });
