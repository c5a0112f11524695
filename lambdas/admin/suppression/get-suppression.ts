import { suppression as contract } from '../../../contract/admin/suppression.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { notFound } from '../../../core/rpc/rpc-error.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { suppressionAt } from '../../../core/sending/feedback/suppression-rules.ts';
import type { Suppressions } from '../../../core/sending/feedback/suppressions.ts';

type Dependencies = { readonly suppressions: Pick<Suppressions, 'find'>; readonly clock: Clock };

export const getSuppression = ({ suppressions, clock }: Dependencies) =>
  adminMethod(contract.methods.GetSuppression, {
    prefetch: ({ recipient }) => suppressions.find(recipient),
    async run(_request, _call, record) {
      if (!record) throw notFound('suppression');
      return { suppression: suppressionAt(record, clock()) };
    },
  });
