import { Box, SpaceBetween } from '@cloudscape-design/components';
import { useParams } from 'react-router';
import { useAdminQuery, type ResponseOf } from '../../api/admin-api.tsx';
import type { PageDefinition } from '../../page/page-definition.ts';
import { findPath } from '../../parts/forms/message-search.tsx';
import { AccountLink } from '../../parts/objects/names.tsx';
import { DetailList, Details, type Detail } from '../../parts/text/details.tsx';
import { PageLink } from '../../parts/text/link.tsx';
import { DetailedTime } from '../../parts/text/time.tsx';
import { Copyable } from '../../parts/text/values.tsx';
import { Page, QueryView } from '../../parts/view/page.tsx';
import { activityWords } from '../../words/pages/activity.ts';
import { byAttention, type ReceivedMessage, type ReceivedRecipient } from './mail-item.ts';
import { RecipientContainer } from './recipient-container.tsx';

export const page: PageDefinition = {
  path: '/activity/received/:receivedId', title: activityWords.message, parent: '/activity', methods: { 'mail-feedback': ['GetReceivedMessage'] },
};

/** Milliseconds between two reads, because a delivery or a bounce may go on while the page is open. */
const interval = 10_000;

const emailFacts = ({ email }: ReceivedRecipient): Detail[] => {
  if (!email) return [];
  if (email.destroyed_at === undefined) return [{ label: activityWords.now, value: email.mailboxes.join(', ') }];
  return [{ label: activityWords.destroyed, value: <>
    <DetailedTime at={email.destroyed_at} />
    {email.restorable && <Box variant="small" display="block">{activityWords.restorable}</Box>}
  </> }];
};

const Recipient = ({ recipient }: { readonly recipient: ReceivedRecipient }) => {
  const { address, outcome, account_id: accountId, copy_of: alias, reason, smtp_reply: reply } = recipient;
  const times = [
    [activityWords.bouncedAt, recipient.bounced_at], [activityWords.waitsSince, recipient.waits_since], [activityWords.nextAttempt, recipient.next_attempt],
  ] as const;
  return (
    <RecipientContainer address={address} kind="received" state={outcome}>
      <DetailList details={[
        { label: activityWords.account, value: accountId && <AccountLink accountId={accountId} /> },
        ...emailFacts(recipient),
        ...(alias === undefined ? [] : [{ label: activityWords.copyOf, value: alias }]),
        ...(reason === undefined ? [] : [{ label: activityWords.reason, value: reason }]),
        ...(reply === undefined ? [] : [{ label: activityWords.reply, value: <Box variant="code">{reply}</Box> }]),
        ...times.flatMap(([label, at]) => (at === undefined ? [] : [{ label, value: <DetailedTime at={at} /> }])),
      ]}
      />
    </RecipientContainer>
  );
};

const checks = Object.entries(activityWords.check) as [keyof ReceivedMessage['verdicts'], string][];

const Message = ({ message }: { readonly message: ReceivedMessage }) => {
  const { received_id: id, received_at: at, sender, from, subject, message_id: messageId, provider_message_id: providerId, size, verdicts } = message;
  const recipients = byAttention('received', message.recipients.map((recipient) => ({ ...recipient, state: recipient.outcome })));
  return (
    <Page title={activityWords.messageFrom(from ?? sender)} description={subject}>
      <SpaceBetween size="l">{recipients.map((recipient) => <Recipient key={recipient.address} recipient={recipient} />)}</SpaceBetween>
      <Details
        title={activityWords.details}
        details={[
          { label: activityWords.directions.received, value: <DetailedTime at={at} /> },
          { label: activityWords.columns.subject, value: subject },
          { label: activityWords.envelopeSender, value: sender === '' ? activityWords.nobody : <PageLink to={findPath(sender)}>{sender}</PageLink> },
          { label: activityWords.size, value: activityWords.octets(size) },
          { label: activityWords.checks, value: checks.map(([check, label]) => `${label} ${verdicts[check] ?? '–'}`).join(', ') },
          { label: activityWords.receivedId, value: <Copyable value={id} name={activityWords.receivedId} /> },
          { label: activityWords.messageId, value: messageId && <Copyable value={messageId} name={activityWords.messageId} /> },
          { label: activityWords.providerId, value: <Copyable value={providerId} name={activityWords.providerId} /> },
        ]}
      />
    </Page>
  );
};

/** The outcome of a received message for each recipient. */
export const ReceivedPage = () => {
  const { receivedId = '' } = useParams();
  const query = useAdminQuery('mail-feedback', 'GetReceivedMessage', { received_id: receivedId }, { refetchInterval: interval });
  return (
    <QueryView key={receivedId} query={query} variant="page">
      {({ message }: ResponseOf<'mail-feedback', 'GetReceivedMessage'>) => <Message message={message} />}
    </QueryView>
  );
};
