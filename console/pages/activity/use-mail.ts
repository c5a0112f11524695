import type { RequestOf } from '../../api/admin-api.tsx';
import { usePagedList, type ListSource } from '../../api/use-list.ts';
import { receivedItem, sentItem, type MailDirection, type MailItem } from './mail-item.ts';

/** A filter of both directions. `outcome` and `state` are of one direction each, so that with one the other has no messages. */
export type MailFilter = Pick<
  RequestOf<'mail-feedback', 'ListReceivedMessages'>,
  'address' | 'domain' | 'message_id' | 'subject_contains' | 'outcome' | 'since'
> &
  Pick<RequestOf<'mail-feedback', 'ListSentMessages'>, 'state'> & { readonly direction?: MailDirection | undefined };

/** The time down to which all messages of a source are read. Empty when it is read whole. */
const readTo = ({ items, readMore }: ListSource<MailItem>): string => (readMore || !items ? (items?.at(-1)?.at ?? '~') : '');

/** The messages of several sources, newest first. */
export const mergedMail = (sources: readonly ListSource<MailItem>[]): ListSource<MailItem> => {
  // Older messages of one source are shown when the others are read as far.
  const horizon = sources.map(readTo).toSorted().at(-1) ?? '';
  const unread = sources.filter((source) => source.readMore && readTo(source) === horizon);
  const items = sources.flatMap((source) => source.items ?? []).filter(({ at }) => at >= horizon);
  return {
    items: sources.some((source) => source.items === undefined) ? undefined : items.toSorted((one, other) => (one.at > other.at ? -1 : 1)),
    error: sources.find(({ error }) => error)?.error,
    isReading: sources.some(({ isReading }) => isReading),
    refresh: () => {
      for (const source of sources) source.refresh();
    },
    readMore:
      unread.length > 0
        ? () => {
            for (const source of unread) source.readMore?.();
          }
        : undefined,
  };
};

/** Received and sent messages that match a filter, newest first. */
export const useMail = (
  { direction, outcome, state, ...shared }: MailFilter,
  { enabled = true }: { readonly enabled?: boolean } = {},
): ListSource<MailItem> => {
  const hasReceived = enabled && direction !== 'sent' && state === undefined;
  const hasSent = enabled && direction !== 'received' && outcome === undefined;
  const received = usePagedList(
    'mail-feedback',
    'ListReceivedMessages',
    { ...shared, ...(outcome && { outcome }) },
    ({ messages }) => messages.map(receivedItem),
    { enabled: hasReceived },
  );
  const sent = usePagedList('mail-feedback', 'ListSentMessages', { ...shared, ...(state && { state }) }, ({ messages }) => messages.map(sentItem), {
    enabled: hasSent,
  });
  return mergedMail([...(hasReceived ? [received] : []), ...(hasSent ? [sent] : [])]);
};
