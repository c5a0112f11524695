import { Box } from '@cloudscape-design/components';
import { PageLink } from '../../parts/text/link.tsx';
import { List } from '../../parts/lists/list-page.tsx';
import type { ListSource } from '../../api/use-list.ts';
import { findPath, messagePath } from '../../parts/forms/message-search.tsx';
import { StateLabel } from '../../parts/text/values.tsx';
import { Time } from '../../parts/text/time.tsx';
import { activityWords } from '../../words/pages/activity.ts';
import { stateWords } from '../../words/states.ts';
import { byAttention, type SentMessage } from './sent-message.ts';
import { textColumn, type Column } from '../../parts/lists/columns.tsx';

/** Maximum recipients of a message that the list shows. */
const shown = 3;

const { columns: titles } = activityWords;

/** The first recipients with their states. The searched recipient has a sentence too. */
const Recipients = ({ message: { recipients }, address }: { readonly message: SentMessage; readonly address: string | undefined }) => (
  <div className="message-recipients">
    {byAttention(recipients, address).slice(0, shown).map((recipient, index) => (
      <div key={recipient.address}>
        <StateLabel kind="delivery" state={recipient.state} />
        {' '}
        <PageLink to={findPath(recipient.address)}>{recipient.address}</PageLink>
        {index === 0 && <Box variant="small" display="block">{stateWords('delivery', recipient.state)?.sentence}</Box>}
      </div>
    ))}
    {recipients.length > shown && <Box variant="small">{activityWords.more(recipients.length - shown)}</Box>}
  </div>
);

const columnsFor = (address: string | undefined): readonly Column<SentMessage>[] => [
  {
    id: 'time', header: titles.time, text: ({ send_at: at }) => at,
    cell: ({ submission_id: id, send_at: at }) => <PageLink to={messagePath(id)}><Time at={at} /></PageLink>,
  },
  {
    id: 'recipients', header: titles.recipients, cell: (message) => <Recipients message={message} address={address} />,
    text: ({ recipients }) => byAttention(recipients, address).map(({ state, address: to }) => `${stateWords('delivery', state)?.label ?? state} ${to}`).join(' '),
  },
  {
    id: 'sender', header: titles.sender, text: ({ sender }) => sender,
    cell: ({ sender }) => (sender === '' ? activityWords.nobody : <PageLink to={findPath(sender)}>{sender}</PageLink>),
  },
  textColumn('id', titles.id, ({ submission_id: id }) => id, { isVisible: false }),
];

/** Sent messages, newest first, with their states. @param address the searched recipient. */
export const MessageList = ({ source, title, address }: {
  readonly source: ListSource<SentMessage>;
  readonly title: string;
  readonly address?: string;
}) => (
  <List
    name="messages" variant="part" title={title} columns={columnsFor(address)} idOf={({ submission_id: id }) => id} source={source}
    empty={activityWords.noMessages}
  />
);
