import type { ReactNode } from 'react';
import { useAdminQuery, type ResponseOf } from '../../api/admin-api.tsx';
import { PageLink } from '../../parts/text/link.tsx';
import { List, type Column } from '../../parts/lists/list-page.tsx';
import type { ListSource } from '../../api/list-source.ts';
import { findPath, messagePath } from '../../parts/forms/message-search.tsx';
import { stateColumn } from '../../parts/lists/state-label.tsx';
import { Time } from '../../parts/text/time.tsx';
import { feedbackWords, suppressionWords } from '../../words/pages/sending.ts';
import { words } from '../../words/words.ts';

export type Feedback = ResponseOf<'mail-feedback', 'ListRecentFeedback'>['feedback'][number];

const reasonOf = ({ bounce_metadata: bounce, complaint_metadata: complaint }: Feedback): string =>
  bounce?.diagnostic_code ?? bounce?.status ?? bounce?.bounce_sub_type ?? complaint?.complaint_feedback_type ?? '';

const { columns: titles } = feedbackWords;

/** The names of domains and sender addresses by their ids. A sender that was removed has none. */
export const useSenderNames = (): ReadonlyMap<string, string> => {
  const domains = useAdminQuery('domains', 'ListDomains', { page_size: 100 });
  const addresses = useAdminQuery('email-identities', 'ListEmailIdentities', { page_size: 100 });
  return new Map([
    ...(domains.data?.domains ?? []).map(({ id, domain }) => [id, domain] as const),
    ...(addresses.data?.identities ?? []).map(({ identity_id: id, email }) => [id, email] as const),
  ]);
};

const columnsWith = (names: ReadonlyMap<string, string>): readonly Column<Feedback>[] => [
  {
    id: 'time', header: titles.time, text: ({ timestamp }) => timestamp,
    cell: ({ timestamp, submission_id: id }) => (id === undefined ? <Time at={timestamp} /> : <PageLink to={messagePath(id)}><Time at={timestamp} /></PageLink>),
  },
  stateColumn('feedback', { id: 'type', header: titles.type, stateOf: ({ type }) => type }),
  {
    id: 'recipient', header: titles.recipient, text: ({ recipient }) => recipient,
    cell: ({ recipient }) => <PageLink to={findPath(recipient)}>{recipient}</PageLink>,
  },
  {
    id: 'identity', header: titles.identity, text: ({ identity_id: id }) => names.get(id) ?? id,
    cell: ({ identity_id: id }) => <PageLink to={`/feedback?identity=${encodeURIComponent(id)}`}>{names.get(id) ?? id}</PageLink>,
  },
  { id: 'reason', header: titles.reason, cell: (feedback) => reasonOf(feedback) || words.details.none, text: reasonOf },
  {
    id: 'class', header: titles.messageClass, cell: ({ message_class: name }) => suppressionWords.classes[name], text: ({ message_class: name }) => name,
    isVisible: false,
  },
  { id: 'message', header: titles.message, cell: ({ provider_message_id: id }) => id, text: ({ provider_message_id: id }) => id, isVisible: false },
];

/** Bounces and complaints, newest first. */
export const FeedbackList = ({ source, title, actions, variant }: {
  readonly source: ListSource<Feedback>;
  readonly title: string;
  readonly actions?: ReactNode;
  readonly variant: 'page' | 'part';
}) => {
  const names = useSenderNames();
  return (
    <List
      name="feedback" title={title} columns={columnsWith(names)} idOf={({ id }) => id} source={source} empty={feedbackWords.empty} actions={actions}
      variant={variant}
    />
  );
};
