import { aliases as contract } from '../../../contract/admin/aliases.ts';
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

const notForwarded = 'this deployment does not forward mail to addresses outside';

export const getForwarding = ({ accounts, forwardings, suppressions, mayForwardOutside, clock }: Dependencies) =>
  adminMethod(contract.methods.GetForwarding, {
    prefetch: ({ account_id }) => Promise.all([accounts.findAll([account_id]), forwardings.find(account_id)]),
    async run({ account_id }, _call, [[account], stored]) {
      if (!account) throw notFound('account');
      const { addresses = [], ...forwarding } = forwardingOnWire(account_id, stored);
      const outside = addresses.filter((address) => address.account_id === undefined).map(({ email }) => email);
      const reasons = outside.length > 0 && mayForwardOutside ? await suppressions.findReasons(outside, forwardMessageClass, clock()) : undefined;
      const reasonOf = (email: string) => (mayForwardOutside || !outside.includes(email) ? reasons?.get(email) : notForwarded);
      return { forwarding: { ...forwarding, addresses: addresses.map((address) => ({ ...address, paused_reason: reasonOf(address.email) })) } };
    },
  });
