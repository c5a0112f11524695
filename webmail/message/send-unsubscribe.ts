import { ResponseLost, type Requests } from '../jmap/requests.ts';
import { receiving } from '../jmap/sending-identity.ts';
import type { CreateResponse, EmailAddress, GetResponse, Id, Identity } from '../jmap/types.ts';
import type { UnsubscribeMail } from './unsubscribe.ts';

/** Reads the Identity to which a message came; the first one where none of its recipients is the person's. */
export const receivingIdentity = async (requests: Requests, accountId: Id, recipients: readonly EmailAddress[]): Promise<Identity | undefined> => {
  const { list } = await requests.call<GetResponse<Identity>>('Identity/get', { accountId, ids: null }).result;
  return receiving(list, recipients);
};

export type MailToSend = { readonly accountId: Id; readonly sentId: Id; readonly identity: Pick<Identity, 'id' | 'email'>; readonly mail: UnsubscribeMail };

/**
 * Sends a message that asks to unsubscribe, in one request. Nothing is left of a message that the server refuses to send.
 * @throws ResponseLost when it is not known whether the message was sent; Error with the reason when it was not.
 */
export const sendUnsubscribe = async (requests: Requests, { accountId, sentId, identity, mail }: MailToSend): Promise<void> => {
  const message = {
    mailboxIds: { [sentId]: true },
    keywords: { $seen: true },
    from: [{ email: identity.email }],
    to: [{ email: mail.to }],
    subject: mail.subject,
    textBody: [{ partId: 'text', type: 'text/plain' }],
    bodyValues: { text: { value: mail.text } },
  };
  const writing = requests.call<CreateResponse>('Email/set', { accountId, create: { message } });
  const submitting = requests.call<CreateResponse>('EmailSubmission/set', {
    accountId,
    create: { submission: { emailId: '#message', identityId: identity.id } },
  });
  const [written, submitted] = await Promise.allSettled([writing.result, submitting.result]);
  if (submitted.status === 'fulfilled' && submitted.value.created?.['submission']) return;
  if (submitted.status === 'rejected' && submitted.reason instanceof ResponseLost) throw submitted.reason;
  const id = written.status === 'fulfilled' ? written.value.created?.['message']?.id : undefined;
  if (id !== undefined) await requests.call('Email/set', { accountId, destroy: [id] }).result;
  if (written.status === 'rejected') throw written.reason;
  if (submitted.status === 'rejected') throw submitted.reason;
  const { type, description } = written.value.notCreated?.['message'] ?? submitted.value.notCreated?.['submission'] ?? { type: 'serverFail' };
  throw new Error(description ?? type);
};
