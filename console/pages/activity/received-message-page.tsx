import { Box, Button, SpaceBetween, Steps, type StepsProps } from '@cloudscape-design/components';
import { useState } from 'react';
import { useParams } from 'react-router';
import { isolated } from '../../../contract/values/isolated.ts';
import { entriesOf } from '../../../contract/values/typed-entries.ts';
import { useAdminQuery, type ResponseOf } from '../../api/admin-api.tsx';
import type { PageDefinition } from '../../page/page-definition.ts';
import { findPath } from '../../parts/forms/message-search.tsx';
import { AccountLink, UserName } from '../../parts/objects/names.tsx';
import { DetailList, Details } from '../../parts/text/details.tsx';
import { PageLink } from '../../parts/text/link.tsx';
import { DetailedTime, StepTime, Time } from '../../parts/text/time.tsx';
import { Copyable } from '../../parts/text/values.tsx';
import { Page, QueryView } from '../../parts/view/page.tsx';
import { activityWords } from '../../words/pages/activity.ts';
import { stateWords } from '../../words/states.ts';
import { byAttention, type ReceivedMessage, type ReceivedRecipient } from './mail-item.ts';
import { RecipientContainer } from './recipient-container.tsx';

export const page: PageDefinition = {
  path: '/activity/received/:receivedId',
  title: activityWords.message,
  parent: '/activity',
  methods: { 'mail-feedback': ['GetReceivedMessage'] },
};

/** Milliseconds between two reads, because a delivery or a bounce may go on while the page is open. */
const interval = 10_000;

type Step = StepsProps.Step;

/** The outcome with its reason. An outcome without a time of its own has none. */
const outcomeStep = (recipient: ReceivedRecipient): Step => {
  const { address, outcome, group, forwarded_by: forwarder, reason, smtp_reply: reply, bounced_at: at, next_attempt: next, copy_of: alias } = recipient;
  const { look, label } = stateWords('received', outcome) ?? { look: 'info', label: outcome };
  return {
    status: look,
    header: label,
    details: (
      <SpaceBetween size="xxs">
        {at !== undefined && <StepTime at={at} />}
        {reason !== undefined && (
          <Box>
            {activityWords.reason}: {reason}
          </Box>
        )}
        {reply !== undefined && <Box variant="code">{reply}</Box>}
        {group !== undefined && group !== address && (
          <Box>
            {activityWords.byGroup}: <PageLink to={findPath(group)}>{group}</PageLink>
          </Box>
        )}
        {forwarder !== undefined && (
          <Box>
            {activityWords.forwardedBy}: <PageLink to={findPath(forwarder)}>{forwarder}</PageLink>
          </Box>
        )}
        {alias !== undefined && (
          <Box>
            {activityWords.copyOf}: {alias}
          </Box>
        )}
        {next !== undefined && (
          <Box>
            {activityWords.nextAttempt}: <Time at={next} isPrecise />
          </Box>
        )}
      </SpaceBetween>
    ),
  };
};

/** The steps of the Email since its delivery. */
const emailSteps = ({ email }: ReceivedRecipient): Step[] => {
  if (!email) return [];
  if (email.destroyed_at === undefined) return [{ status: 'info', header: `${activityWords.now} ${email.mailboxes.map(isolated).join(', ')}` }];
  return [
    {
      status: 'stopped',
      header: activityWords.destroyed,
      details: (
        <>
          <StepTime at={email.destroyed_at} />
          {email.destroyed_by !== undefined && <UserName userId={email.destroyed_by} />}
          {email.restorable && <Box>{activityWords.restorable}</Box>}
        </>
      ),
    },
  ];
};

const Recipient = ({ recipient, at }: { readonly recipient: ReceivedRecipient; readonly at: string }) => (
  <RecipientContainer address={recipient.address} kind="received" state={recipient.outcome}>
    <Steps
      ariaLabel={activityWords.way(recipient.address)}
      steps={[{ status: 'success', header: activityWords.taken, details: <StepTime at={at} /> }, outcomeStep(recipient), ...emailSteps(recipient)]}
    />
    {recipient.account_id !== undefined && <DetailList details={[{ label: activityWords.account, value: <AccountLink accountId={recipient.account_id} /> }]} />}
  </RecipientContainer>
);

/** Recipients that are shown at first, and by each click: a group may have a thousand. */
const shownAtOnce = 20;

/** The recipients, those first that need attention. */
const Recipients = ({ message }: { readonly message: ReceivedMessage }) => {
  const [shown, setShown] = useState(shownAtOnce);
  const recipients = byAttention(
    'received',
    message.recipients.map((recipient) => ({ ...recipient, state: recipient.outcome })),
  );
  const hidden = recipients.length - shown;
  return (
    <SpaceBetween size="l">
      {recipients.slice(0, shown).map((recipient) => (
        <Recipient key={recipient.address} recipient={recipient} at={message.received_at} />
      ))}
      {hidden > 0 && <Button onClick={() => setShown(shown + shownAtOnce)}>{activityWords.showMore(Math.min(hidden, shownAtOnce))}</Button>}
    </SpaceBetween>
  );
};

const checks = entriesOf(activityWords.check);

const Message = ({ message }: { readonly message: ReceivedMessage }) => {
  const { received_id: id, received_at: at, sender, from, subject, message_id: messageId, provider_message_id: providerId, size, verdicts } = message;
  return (
    <Page title={activityWords.messageFrom(from ?? sender)} description={subject}>
      <Recipients message={message} />
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
export const ReceivedMessagePage = () => {
  const { receivedId = '' } = useParams();
  const query = useAdminQuery('mail-feedback', 'GetReceivedMessage', { received_id: receivedId }, { refetchInterval: interval });
  return (
    <QueryView key={receivedId} query={query} variant="page">
      {({ message }: ResponseOf<'mail-feedback', 'GetReceivedMessage'>) => <Message message={message} />}
    </QueryView>
  );
};
