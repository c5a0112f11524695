import { aliases as contract, type ForwardAddress } from '../../../contract/admin/aliases.ts';
import { forwardMessageClass } from '../../../contract/deployment/sending.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import { forwardingOnWire } from '../../../core/directory/forwarding/forwarding-on-wire.ts';
import type { Forwardings } from '../../../core/directory/forwarding/forwardings.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { notFound } from '../../../core/rpc/rpc-error.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { Suppressions } from '../../../core/sending/feedback/suppressions.ts';

type Dependencies = {
  readonly accounts: Pick<Accounts, 'findAll'>;
  readonly forwardings: Pick<Forwardings, 'find'>;
  readonly suppressions: Pick<Suppressions, 'findReasons'>;
  /** Whether accounts may forward to addresses outside. */
  readonly mayForwardOutside: boolean;
  readonly clock: Clock;
};

const [notForwarded, deleted] = ['this deployment does not forward mail to addresses outside', 'the account that had the address was deleted'];

export const getForwarding = ({ accounts, forwardings, suppressions, mayForwardOutside, clock }: Dependencies) =>
  adminMethod(contract.methods.GetForwarding, {
    prefetch: ({ account_id }) => Promise.all([accounts.findAll([account_id]), forwardings.find(account_id)]),
    async run({ account_id }, _call, [[account], stored]) {
      if (!account) throw notFound('account');
      const { addresses = [], ...forwarding } = forwardingOnWire(account_id, stored);
      const outside = addresses.filter((address) => address.account_id === undefined).map(({ email }) => email);
      const inside = addresses.flatMap((address) => address.account_id ?? []);
      const [reasons, found] = await Promise.all([
        outside.length > 0 && mayForwardOutside ? suppressions.findReasons(outside, forwardMessageClass, clock()) : new Map<string, string>(),
        inside.length > 0 ? accounts.findAll(inside) : [],
      ]);
      const existing = new Set(found.map(({ account_id: id }) => id));
      const reasonOf = ({ email, account_id: id }: ForwardAddress): string | undefined => {
        if (id !== undefined) return existing.has(id) ? undefined : deleted;
        return mayForwardOutside ? reasons.get(email) : notForwarded;
      };
      return { forwarding: { ...forwarding, addresses: addresses.map((address) => ({ ...address, paused_reason: reasonOf(address) })) } };
    },
  });
