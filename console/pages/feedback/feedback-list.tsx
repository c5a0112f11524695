import type { ReactNode } from 'react';
import { useAdminQuery, type ResponseOf } from '../../api/admin-api.tsx';
import type { ListSource } from '../../api/use-list.ts';
import { findPath, messagePath } from '../../parts/forms/message-search.tsx';
import { linkColumn, stateColumn, textColumn, type Column } from '../../parts/lists/columns.tsx';
import { List } from '../../parts/lists/list-page.tsx';
import { PageLink } from '../../parts/text/link.tsx';
import { Time } from '../../parts/text/time.tsx';
import { feedbackWords, suppressionWords } from '../../words/pages/sending.ts';
import { useAllDomains } from '../domains/all-domains.ts';

export type Feedback = ResponseOf<'mail-feedback', 'ListRecentFeedback'>['feedback'][number];

const reasonOf = ({ bounce_metadata: bounce, complaint_metadata: complaint }: Feedback): string =>
  bounce?.diagnostic_code ?? bounce?.status ?? bounce?.bounce_sub_type ?? complaint?.complaint_feedback_type ?? '';

const { columns: titles } = feedbackWords;

/** The names of domains and sender addresses by their ids. A removed sender has no name. */
export const useSenderNames = (): ReadonlyMap<string, string> => {
  const domains = useAllDomains();
  const addresses = useAdminQuery('email-identities', 'ListEmailIdentities', { page_size: 100 });
  return new Map([
    ...(domains.data ?? []).map(({ id, domain }) => [id, domain] as const),
    ...(addresses.data?.identities ?? []).map(({ identity_id: id, email }) => [id, email] as const),
  ]);
};

const columnsWith = (names: ReadonlyMap<string, string>): readonly Column<Feedback>[] => [
  {
    id: 'time',
    header: titles.time,
    text: ({ timestamp }) => timestamp,
    cell: ({ timestamp, submission_id: id }) =>
      id === undefined ? (
        <Time at={timestamp} />
      ) : (
        <PageLink to={messagePath(id)}>
          <Time at={timestamp} />
        </PageLink>
      ),
  },
  stateColumn('type', titles.type, 'feedback', ({ type }) => type),
  linkColumn(
    'recipient',
    titles.recipient,
    ({ recipient }) => recipient,
    ({ recipient }) => findPath(recipient),
  ),
  linkColumn(
    'identity',
    titles.identity,
    ({ identity_id: id }) => names.get(id) ?? id,
    ({ identity_id: id }) => `/feedback?identity=${encodeURIComponent(id)}`,
  ),
  textColumn('reason', titles.reason, reasonOf),
  textColumn('class', titles.messageClass, ({ message_class: name }) => suppressionWords.classes[name], { isVisible: false }),
  textColumn('message', titles.message, ({ provider_message_id: id }) => id, { isVisible: false }),
];

/** Bounces and complaints, newest first. */
export const FeedbackList = ({
  source,
  title,
  actions,
  variant,
}: {
  readonly source: ListSource<Feedback>;
  readonly title: string;
  readonly actions?: ReactNode;
  readonly variant: 'page' | 'part';
}) => {
  const names = useSenderNames();
  return (
    <List
      name="feedback"
      title={title}
      columns={columnsWith(names)}
      idOf={({ id }) => id}
      source={source}
      empty={feedbackWords.empty}
      actions={actions}
      variant={variant}
    />
  );
};
