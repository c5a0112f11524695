import { Box, Button, SpaceBetween, Steps } from '@cloudscape-design/components';
import { useState } from 'react';
import { StepTime } from '../../parts/text/time.tsx';
import { activityWords } from '../../words/pages/activity.ts';
import { stateWords } from '../../words/states.ts';
import { EventLog } from './event-log.tsx';
import { RecipientContainer } from './recipient-container.tsx';
import type { MessageEvent, MessageRecipient, SentMessage } from './sent-message.ts';

/** Labels of event types, where they differ from the labels of the delivery states. */
const eventLabels: { readonly [type: string]: string } = { ACCEPTED: activityWords.created };

const later = (one: string, other: string): string => (Date.parse(one) > Date.parse(other) ? one : other);

const EventDetails = ({ event: { type, timestamp, smtp_reply: reply }, message }: { readonly event: MessageEvent; readonly message: SentMessage }) => {
  const [isOpen, setOpen] = useState(false);
  // The submit Lambda sees a message when it is due.
  const at = type === 'ACCEPTED' ? later(timestamp, message.send_at) : timestamp;
  return (
    <SpaceBetween size="xxs">
      <StepTime at={timestamp} />
      {reply !== undefined && <Box variant="code">{reply}</Box>}
      <Button variant="inline-link" iconName={isOpen ? 'caret-down-filled' : 'caret-right-filled'} ariaExpanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {activityWords.openLogs}
      </Button>
      {isOpen && <EventLog type={type} at={at} submissionId={message.submission_id} />}
    </SpaceBetween>
  );
};

/** The steps of the timeline: the events, and the current state when no event has reported it. */
const stepsOf = (message: SentMessage, { events, state }: MessageRecipient) => [
  ...events.map((event) => {
    const known = stateWords('delivery', event.type);
    const isPassed = state !== event.type && (event.type === 'ACCEPTED' || event.type === 'SENT');
    return {
      status: isPassed ? ('success' as const) : (known?.look ?? 'info'),
      header: eventLabels[event.type] ?? known?.label ?? event.type,
      details: <EventDetails event={event} message={message} />,
    };
  }),
  ...(state === 'CANCELED' ? [{ status: 'stopped' as const, header: stateWords('delivery', state)?.label ?? state }] : []),
];

/** The delivery timeline of one recipient: the state, the action to take, and the events. */
export const RecipientTimeline = ({ message, recipient }: { readonly message: SentMessage; readonly recipient: MessageRecipient }) => (
  <RecipientContainer address={recipient.address} kind="delivery" state={recipient.state}>
    <Steps ariaLabel={activityWords.way(recipient.address)} steps={stepsOf(message, recipient)} />
  </RecipientContainer>
);
