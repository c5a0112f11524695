import type { ResponseOf } from '../../api/admin-api.tsx';
import { messagePath, receivedPath } from '../../parts/forms/message-search.tsx';
import { rankOf, type StateKind } from '../../words/states.ts';
import type { SentMessage } from './sent-message.ts';

export type ReceivedMessage = ResponseOf<'mail-feedback', 'ListReceivedMessages'>['messages'][number];
export type ReceivedRecipient = ReceivedMessage['recipients'][number];

export type MailDirection = 'received' | 'sent';

/** A message of a list, received or sent. */
export type MailItem = {
  readonly direction: MailDirection;
  readonly id: string;
  readonly at: string;
  readonly subject: string;
  readonly sender: string;
  readonly recipients: readonly MailRecipient[];
  /** The page of the message. */
  readonly path: string;
};

export type MailRecipient = { readonly address: string; readonly state: string };

/** The kind of the states of a direction. */
export const stateKinds = { received: 'received', sent: 'delivery' } as const satisfies { [D in MailDirection]: StateKind };

export const sentItem = ({ submission_id: id, send_at: at, subject = '', sender, recipients }: SentMessage): MailItem => ({
  direction: 'sent',
  id,
  at,
  subject,
  sender,
  recipients,
  path: messagePath(id),
});

export const receivedItem = ({ received_id: id, received_at: at, subject = '', sender, from, recipients }: ReceivedMessage): MailItem => ({
  direction: 'received',
  id,
  at,
  subject,
  sender: from ?? sender,
  recipients: recipients.map(({ address, outcome }) => ({ address, state: outcome })),
  path: receivedPath(id),
});

/** Sorts recipients: first those that were searched for, then those whose state needs attention. */
export const byAttention = <Recipient extends MailRecipient>(kind: StateKind, recipients: readonly Recipient[], address?: string): readonly Recipient[] =>
  recipients.toSorted(
    (one, other) => Number(isSame(other.address, address)) - Number(isSame(one.address, address)) || rankOf(kind, one.state) - rankOf(kind, other.state),
  );

const isSame = (one: string, other: string | undefined): boolean => one.toLowerCase() === other?.toLowerCase();
