import { suppression as contract } from '../../../contract/admin/suppression.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { suppressionAt } from '../../../core/sending/feedback/suppression-rules.ts';
import type { Suppressions } from '../../../core/sending/feedback/suppressions.ts';

type Dependencies = { readonly suppressions: Pick<Suppressions, 'list'>; readonly clock: Clock };

export const listSuppressions = ({ suppressions, clock }: Dependencies) =>
  adminMethod(contract.methods.ListSuppressions, {
    async run({ page_size }, { pageAfter, nextPageToken }) {
      const now = clock();
      const { items, next } = await suppressions.list(pageAfter, page_size);
      return { suppressions: items.map((record) => suppressionAt(record, now)), next_page_token: await nextPageToken(next) };
    },
  });
