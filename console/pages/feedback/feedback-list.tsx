import type { ReactNode } from 'react';
import type { ResponseOf } from '../../api/admin-api.tsx';
import { PageLink } from '../../parts/link.tsx';
import { List, type Column, type ListSource } from '../../parts/list-page.tsx';
import { findPath, messagePath } from '../../parts/message-search.tsx';
import { StateLabel } from '../../parts/state-label.tsx';
import { Time } from '../../parts/time.tsx';
import { feedbackWords, suppressionWords } from '../../words/sending.ts';
import { words } from '../../words/words.ts';

export type Feedback = ResponseOf<'mail-feedback', 'ListRecentFeedback'>['feedback'][number];

const reasonOf = ({ bounce_metadata: bounce, complaint_metadata: complaint }: Feedback): string =>
  bounce?.diagnostic_code ?? bounce?.status ?? bounce?.bounce_sub_type ?? complaint?.complaint_feedback_type ?? '';

const { columns: titles } = feedbackWords;

const columns: readonly Column<Feedback>[] = [
  {
    id: 'time', header: titles.time, text: ({ timestamp }) => timestamp,
    cell: ({ timestamp, submission_id: id }) => (id === undefined ? <Time at={timestamp} /> : <PageLink to={messagePath(id)}><Time at={timestamp} /></PageLink>),
  },
  { id: 'type', header: titles.type, cell: ({ type }) => <StateLabel kind="feedback" state={type} />, text: ({ type }) => type },
  {
    id: 'recipient', header: titles.recipient, text: ({ recipient }) => recipient,
    cell: ({ recipient }) => <PageLink to={findPath(recipient)}>{recipient}</PageLink>,
  },
  {
    id: 'identity', header: titles.identity, text: ({ identity_id: id }) => id,
    cell: ({ identity_id: id }) => <PageLink to={`/feedback?identity=${encodeURIComponent(id)}`}>{id}</PageLink>,
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
}) => (
  <List
    name="feedback" title={title} columns={columns} idOf={({ id }) => id} source={source} empty={feedbackWords.empty} actions={actions} variant={variant}
  />
);
