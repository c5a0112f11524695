import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Steps from '@cloudscape-design/components/steps';
import { useState } from 'react';
import { PageLink } from '../../parts/text/link.tsx';
import { findPath } from '../../parts/forms/message-search.tsx';
import { StateLabel } from '../../parts/lists/state-label.tsx';
import { Time } from '../../parts/text/time.tsx';
import { activityWords } from '../../words/pages/activity.ts';
import { stateWords } from '../../words/states.ts';
import { EventLog } from './event-log.tsx';
import type { MessageEvent, MessageRecipient, SentMessage } from './sent-message.ts';

/** The labels of events that differ from the labels of their states. */
const eventLabels: { readonly [type: string]: string } = { ACCEPTED: activityWords.created };

/** The later one of two times. */
const later = (one: string, other: string): string => (Date.parse(one) > Date.parse(other) ? one : other);

const EventDetails = ({ event: { type, timestamp, smtp_reply: reply }, message }: { readonly event: MessageEvent; readonly message: SentMessage }) => {
  const [isOpen, setOpen] = useState(false);
  // The submit Lambda sees a message when it is due.
  const at = type === 'ACCEPTED' ? later(timestamp, message.send_at) : timestamp;
  return (
    <SpaceBetween size="xxs">
      <Box color="text-body-secondary"><Time at={timestamp} isPrecise /></Box>
      {reply !== undefined && <Box variant="code">{reply}</Box>}
      <Button variant="inline-link" iconName={isOpen ? 'caret-down-filled' : 'caret-right-filled'} ariaExpanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {activityWords.openLogs}
      </Button>
      {isOpen && <EventLog type={type} at={at} submissionId={message.submission_id} />}
    </SpaceBetween>
  );
};

/** The events as steps, and the state that has no event of its own. */
const stepsOf = (message: SentMessage, { events, state }: MessageRecipient) => [
  ...events.map((event) => {
    const known = stateWords('delivery', event.type);
    const isPassed = state !== event.type && (event.type === 'ACCEPTED' || event.type === 'SENT');
    return {
      status: isPassed ? 'success' as const : known?.look ?? 'info',
      header: eventLabels[event.type] ?? known?.label ?? event.type, details: <EventDetails event={event} message={message} />,
    };
  }),
  ...state === 'CANCELED' ? [{ status: 'stopped' as const, header: stateWords('delivery', state)?.label ?? state }] : [],
];

/** The delivery timeline of one recipient: the state, the action to take, and the events. */
export const RecipientTimeline = ({ message, recipient }: { readonly message: SentMessage; readonly recipient: MessageRecipient }) => {
  const { address, state } = recipient;
  const known = stateWords('delivery', state);
  return (
    <Container header={<Header variant="h2" actions={<StateLabel kind="delivery" state={state} />}><PageLink to={findPath(address)}>{address}</PageLink></Header>}>
      <SpaceBetween size="m">
        <Box>
          {known?.sentence}
          {known?.nextStep && <Box color="text-body-secondary">{known.nextStep}</Box>}
        </Box>
        <Steps ariaLabel={activityWords.way(address)} steps={stepsOf(message, recipient)} />
      </SpaceBetween>
    </Container>
  );
};
