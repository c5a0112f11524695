import { Box, SpaceBetween } from '@cloudscape-design/components';
import { useParams } from 'react-router';
import { useAdminQuery, type ResponseOf } from '../../api/admin-api.tsx';
import type { PageDefinition } from '../../page/page-definition.ts';
import { findPath, MessageSearch } from '../../parts/forms/message-search.tsx';
import { stateColumn, textColumn, timeColumn, type Column } from '../../parts/lists/columns.tsx';
import { List } from '../../parts/lists/list-page.tsx';
import { AccountLink, UserName } from '../../parts/objects/names.tsx';
import { Details } from '../../parts/text/details.tsx';
import { PageLink } from '../../parts/text/link.tsx';
import { DetailedTime } from '../../parts/text/time.tsx';
import { Copyable } from '../../parts/text/values.tsx';
import { Page, QueryView } from '../../parts/view/page.tsx';
import { activityWords } from '../../words/pages/activity.ts';
import { stateWords } from '../../words/states.ts';
import { byAttention } from './mail-item.ts';
import { NothingFound } from './not-found.tsx';
import { RecipientTimeline } from './recipient-timeline.tsx';
import { stateCounts, type MessageRecipient, type SentMessage } from './sent-message.ts';

export const page: PageDefinition = {
  path: '/activity/:submissionId',
  title: activityWords.message,
  parent: '/activity',
  methods: { 'mail-feedback': ['ListSentMessages'], monitoring: ['GetLogContext'] },
};

/** Maximum recipients whose timelines are shown below each other. More recipients are shown as a list. */
const shownWays = 4;

/** Milliseconds between two reads, because events arrive while the page is open. */
const interval = 10_000;

const Facts = ({ message }: { readonly message: SentMessage }) => {
  const { submission_id: id, sender, account_id: accountId, user_id: userId, created_at: created, send_at: sendAt } = message;
  const { message_id: messageId, provider_message_ids: providerIds } = message;
  return (
    <Details
      title={activityWords.details}
      details={[
        { label: activityWords.columns.subject, value: message.subject },
        { label: activityWords.columns.sender, value: sender === '' ? activityWords.nobody : <PageLink to={findPath(sender)}>{sender}</PageLink> },
        { label: activityWords.account, value: accountId === undefined ? activityWords.noAccount : <AccountLink accountId={accountId} /> },
        {
          label: activityWords.user,
          value: userId && (
            <PageLink to={`/users/${encodeURIComponent(userId)}`}>
              <UserName userId={userId} />
            </PageLink>
          ),
        },
        { label: activityWords.created, value: <DetailedTime at={created} /> },
        ...(Date.parse(sendAt) > Date.parse(created) ? [{ label: activityWords.sendAt, value: <DetailedTime at={sendAt} /> }] : []),
        { label: activityWords.submissionId, value: <Copyable value={id} name={activityWords.submissionId} /> },
        { label: activityWords.messageId, value: messageId && <Copyable value={messageId} name={activityWords.messageId} /> },
        {
          label: activityWords.providerId,
          value: providerIds.length > 0 && (
            <div className="message-recipients">
              {providerIds.map((one) => (
                <Copyable key={one} value={one} name={activityWords.providerId} />
              ))}
            </div>
          ),
        },
      ]}
    />
  );
};

const columns: readonly Column<MessageRecipient>[] = [
  textColumn('address', activityWords.recipient, ({ address }) => address),
  stateColumn('state', activityWords.state, 'delivery', ({ state }) => state),
  timeColumn('last', activityWords.last, ({ events }) => events.at(-1)?.timestamp ?? ''),
];

/** The timelines of a few recipients, or a list of many with the timeline of the selected one. */
const Ways = ({ message, refresh }: { readonly message: SentMessage; readonly refresh: () => void }) => {
  const recipients = byAttention('delivery', message.recipients);
  if (recipients.length <= shownWays) {
    return (
      <SpaceBetween size="l">
        {recipients.map((recipient) => (
          <RecipientTimeline key={recipient.address} message={message} recipient={recipient} />
        ))}
      </SpaceBetween>
    );
  }
  return (
    <List
      name="message-recipients"
      variant="part"
      title={activityWords.recipients}
      description={activityWords.choose}
      columns={columns}
      idOf={({ address }) => address}
      source={{ items: recipients, error: undefined, isReading: false, refresh }}
      empty={activityWords.noMessages}
      details={{ title: ({ address }) => address, content: (recipient) => <RecipientTimeline message={message} recipient={recipient} /> }}
    />
  );
};

/** The number of recipients in each state, in words. */
const Summary = ({ message: { recipients } }: { readonly message: SentMessage }) => (
  <Box>
    {activityWords.recipientCount(recipients.length)}
    {stateCounts(recipients)
      .map(({ state, count }) => activityWords.counted(count, stateWords('delivery', state)?.label ?? state))
      .join(', ')}
  </Box>
);

const Message = ({
  response: {
    messages: [message],
  },
  id,
  refresh,
}: {
  readonly response: ResponseOf<'mail-feedback', 'ListSentMessages'>;
  readonly id: string;
  readonly refresh: () => void;
}) => {
  if (!message) {
    return (
      <Page title={activityWords.message} description={id}>
        <MessageSearch initial={id} />
        <NothingFound {...activityWords.unknownId} />
      </Page>
    );
  }
  const { recipients } = message;
  return (
    <Page title={activityWords.messageTo(recipients[0]?.address ?? '')} description={recipients.length > 1 && <Summary message={message} />}>
      <Ways message={message} refresh={refresh} />
      <Facts message={message} />
    </Page>
  );
};

export const SentMessagePage = () => {
  const { submissionId = '' } = useParams();
  const query = useAdminQuery('mail-feedback', 'ListSentMessages', { submission_id: submissionId }, { refetchInterval: interval });
  return (
    <QueryView key={submissionId} query={query} variant="page">
      {(response) => <Message response={response} id={submissionId} refresh={() => void query.refetch()} />}
    </QueryView>
  );
};
