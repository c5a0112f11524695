import { aliases as contract } from '../../../contract/admin/aliases.ts';
import { groupMessageClass } from '../../../contract/deployment/sending.ts';
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
  readonly clock: Clock;
};

export const getForwarding = ({ accounts, forwardings, suppressions, clock }: Dependencies) =>
  adminMethod(contract.methods.GetForwarding, {
    prefetch: ({ account_id }) => Promise.all([accounts.findAll([account_id]), forwardings.find(account_id)]),
    async run({ account_id }, _call, [[account], stored]) {
      if (!account) throw notFound('account');
      const { addresses = [], ...forwarding } = forwardingOnWire(account_id, stored);
      const outside = addresses.filter((address) => address.account_id === undefined).map(({ email }) => email);
      const reasons = outside.length > 0 ? await suppressions.findReasons(outside, groupMessageClass, clock()) : undefined;
      return { forwarding: { ...forwarding, addresses: addresses.map((address) => ({ ...address, paused_reason: reasons?.get(address.email) })) } };
    },
  });
