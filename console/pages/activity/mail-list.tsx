import { Box } from '@cloudscape-design/components';
import type { ComponentProps, ReactNode } from 'react';
import type { ListSource } from '../../api/use-list.ts';
import { findPath } from '../../parts/forms/message-search.tsx';
import { textColumn, type Column } from '../../parts/lists/columns.tsx';
import { List } from '../../parts/lists/list-page.tsx';
import { PageLink } from '../../parts/text/link.tsx';
import { Time } from '../../parts/text/time.tsx';
import { StateLabel } from '../../parts/text/values.tsx';
import { activityWords } from '../../words/pages/activity.ts';
import { stateWords } from '../../words/states.ts';
import { byAttention, stateKinds, type MailItem } from './mail-item.ts';

/** Maximum recipients of a message that the list shows. */
const shown = 3;

const { columns: titles } = activityWords;

/** The first recipients with their states. The searched recipient has a sentence too. */
const Recipients = ({ message: { direction, recipients }, address }: { readonly message: MailItem; readonly address: string | undefined }) => {
  const kind = stateKinds[direction];
  return (
    <div className="message-recipients">
      {byAttention(kind, recipients, address)
        .slice(0, shown)
        .map(({ address: to, state }, index) => (
          <div key={to}>
            <StateLabel kind={kind} state={state} /> <PageLink to={findPath(to)}>{to}</PageLink>
            {index === 0 && address !== undefined && (
              <Box variant="small" display="block">
                {stateWords(kind, state)?.sentence}
              </Box>
            )}
          </div>
        ))}
      {recipients.length > shown && <Box variant="small">{activityWords.more(recipients.length - shown)}</Box>}
    </div>
  );
};

const columnsFor = (address: string | undefined): readonly Column<MailItem>[] => [
  {
    id: 'time',
    header: titles.time,
    text: ({ at }) => at,
    cell: ({ path, at }) => (
      <PageLink to={path}>
        <Time at={at} />
      </PageLink>
    ),
  },
  textColumn('direction', titles.direction, ({ direction }) => activityWords.directions[direction]),
  textColumn('subject', titles.subject, ({ subject }) => subject, { maxWidth: 300 }),
  {
    id: 'recipients',
    header: titles.recipients,
    cell: (message) => <Recipients message={message} address={address} />,
    text: ({ direction, recipients }) =>
      byAttention(stateKinds[direction], recipients, address)
        .map(({ state, address: to }) => `${stateWords(stateKinds[direction], state)?.label ?? state} ${to}`)
        .join(' '),
  },
  {
    id: 'sender',
    header: titles.sender,
    text: ({ sender }) => sender,
    cell: ({ sender }) => (sender === '' ? activityWords.nobody : <PageLink to={findPath(sender)}>{sender}</PageLink>),
  },
  textColumn('id', titles.id, ({ id }) => id, { isVisible: false }),
];

/** Messages, newest first, with their states. @param address the searched address. */
export const MailList = ({
  source,
  title,
  address,
  filters,
  variant = 'part',
  ...list
}: {
  readonly source: ListSource<MailItem>;
  readonly title: string;
  readonly address?: string;
  readonly filters?: ReactNode;
  readonly variant?: 'page' | 'part';
} & Partial<Pick<ComponentProps<typeof List<MailItem>>, 'description' | 'actions' | 'empty'>>) => (
  <List
    name="mail"
    variant={variant}
    title={title}
    columns={columnsFor(address)}
    idOf={({ id }) => id}
    source={source}
    filters={filters}
    empty={activityWords.noMessages}
    {...list}
  />
);
