import { z } from 'zod';
import { isAddress } from '../message/mail-addresses.ts';
import { badRequest, notFound } from '../message/ses-error.ts';
import type { Suppressed, SuppressionList } from '../sending/suppression-list.ts';
import { parseBody, pageOfItems, unixSeconds, type SesRequest, type SesOperation } from './ses-operation.ts';

const reason = z.enum(['BOUNCE', 'COMPLAINT']);
const putBody = z.object({ EmailAddress: z.string(), Reason: reason });

const summary = ({ address, reason: why, at }: Suppressed) => ({ EmailAddress: address, Reason: why, LastUpdateTime: unixSeconds(at) });

const parseDate = (text: string | null): number | undefined => {
  if (text === null) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw badRequest('The specified date is invalid.');
  return time;
};

const listSuppressed =
  (list: SuppressionList) =>
  async ({ query }: SesRequest) => {
    const reasons = query.getAll('Reason');
    const [from, to] = [parseDate(query.get('StartDate')), parseDate(query.get('EndDate'))];
    const size = query.get('PageSize');
    const matching = list.list().filter(({ reason: why, at }) => {
      const time = Date.parse(at);
      return (reasons.length === 0 || reasons.includes(why)) && time >= (from ?? time) && time <= (to ?? time);
    });
    const { items, ...more } = pageOfItems(matching.map(summary), size === null ? undefined : Number(size), query.get('NextToken') ?? undefined);
    return { SuppressedDestinationSummaries: items, ...more };
  };

/** The operations on the account's suppression list. */
export const suppressionOperations = (list: SuppressionList): SesOperation[] => {
  const find = ({ parameters }: SesRequest): Suppressed => {
    const address = parameters['EmailAddress'] ?? '';
    const found = list.find(address);
    if (!found) throw notFound(`Email address ${address} does not exist on your suppression list.`);
    return found;
  };
  return [
    {
      method: 'PUT',
      path: '/suppression/addresses',
      async run(request) {
        const { EmailAddress, Reason } = parseBody(putBody, request);
        if (!isAddress(EmailAddress)) throw badRequest(`Invalid email address <${EmailAddress}>.`);
        await list.put(EmailAddress, Reason);
        return {};
      },
    },
    { method: 'GET', path: '/suppression/addresses', run: listSuppressed(list) },
    { method: 'GET', path: '/suppression/addresses/{EmailAddress}', run: async (request) => ({ SuppressedDestination: summary(find(request)) }) },
    {
      method: 'DELETE',
      path: '/suppression/addresses/{EmailAddress}',
      async run(request) {
        await list.remove(find(request).address);
        return {};
      },
    },
  ];
};
