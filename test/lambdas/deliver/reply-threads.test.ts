import { accountOpener } from '../../../core/account-index/account-opener.ts';
import { removeDestroyedEmails } from '../../../core/blobs/destroyed-emails.ts';
import { emailToStore } from '../../../core/blobs/message-store.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { storedTypes } from '../../../core/mail/mail-store/stored-types.ts';
import { parseMessage } from '../../../core/mime/parse-message.ts';
import { wireMessageId } from '../../../core/sending/submission/wire-message-id.ts';
import { acceptForAlice, rawMessage, senderAccount } from '../../support/account-submission.ts';
import { mailCommit } from '../../support/email-fixtures.ts';
import { perTest } from '../../support/per-test.ts';
import { sendPipeline, sesEventBody } from '../../support/send-pipeline.ts';
import { deliverDeploymentPerTest } from './deliver-deployment.ts';

const mail = deliverDeploymentPerTest();
const pipeline = perTest(() => sendPipeline({ mailTable: mail.mailTable, objects: mail.objects }));
let sentEmail: { readonly id: string; readonly threadId: string };

/** Adds the Email that Alice sends to her account. */
beforeEach(async () => {
  const raw = Buffer.from(rawMessage);
  const content = emailToStore('sentsentsentsentsentse', parseMessage(raw), raw.length);
  await mail.mailStore.deliver(senderAccount, { ...content, keywords: [], receivedAt: 0, mailboxRole: 'inbox' });
  sentEmail = emailsOf(await mail.view(senderAccount)).all()[0]!;
  await acceptForAlice(pipeline, { recipients: ['ann@elsewhere.test', 'bob@elsewhere.test'], thread_id: sentEmail.threadId });
});

const wireId = (providerId: string) => `<${wireMessageId(providerId, 'us-east-1')}>`;
let replies = 0;
/** Delivers a reply that cites SES's Message-ID. @returns its Thread. */
const reply = async (providerId: string, subject = 'Re: Lunch'): Promise<string> => {
  const known = new Set(emailsOf(await mail.view(senderAccount)).ids());
  const raw = `From: ann@elsewhere.test\r\nTo: alice@example.test\r\nSubject: ${subject}\r\nIn-Reply-To: ${wireId(providerId)}\r\n\r\nyes\r\n`;
  await mail.deliver([await mail.arrive(`reply-${++replies}`, raw, ['alice@example.test'])]);
  return emailsOf(await mail.view(senderAccount))
    .all()
    .find(({ id }) => !known.has(id))!.threadId;
};
const destroySentEmail = async () => {
  await mail.mailStore.commit((await mail.mailStore.open(senderAccount))!, () => mailCommit({ destroyEmails: [sentEmail.id] }));
  const opener = accountOpener({ table: mail.mailTable, types: storedTypes });
  await removeDestroyedEmails({ table: mail.mailTable, objects: mail.objects, opener, clock: pipeline.clock }, senderAccount, [sentEmail.id]);
};
const sendEvent = (id: string) => pipeline.recordEvents(sesEventBody('Send', { send: {} }, { id }));

describe('a reply to a message whose Message-ID SES replaced', () => {
  // @pitfall submission replaced-message-id
  test('joins the Thread of the Email that was sent', async () => {
    await pipeline.submit();
    expect(await reply(pipeline.sender.sent[0]!.id)).toBe(sentEmail.threadId);
  });

  test('joins the Thread when only SES’s event shows that the message was sent', async () => {
    pipeline.sender.faults.push('response lost');
    await pipeline.submit();
    await sendEvent('0100-lost');
    expect(await reply('0100-lost')).toBe(sentEmail.threadId);
  });

  test('joins the Thread by the id of either message, when SES sent two because a response was lost', async () => {
    await pipeline.submit();
    await sendEvent('0100-again');
    expect(await reply('0100-again')).toBe(sentEmail.threadId);
    expect(await reply(pipeline.sender.sent[0]!.id)).toBe(sentEmail.threadId);
  });

  test('joins the Thread of earlier replies when the Email that was sent is destroyed', async () => {
    await pipeline.submit();
    await destroySentEmail();
    const first = await reply(pipeline.sender.sent[0]!.id);
    expect(await reply(pipeline.sender.sent[0]!.id)).toBe(first);
  });

  test('joins the Thread when the Email is destroyed before SES’s event arrives', async () => {
    pipeline.sender.faults.push('response lost');
    await pipeline.submit();
    await destroySentEmail();
    await sendEvent('0100-late');
    expect(await reply('0100-late')).toBe(sentEmail.threadId);
  });

  test('that arrives before SES’s event starts a Thread, and later replies join that of the sent Email', async () => {
    pipeline.sender.faults.push('response lost');
    await pipeline.submit();
    expect(await reply('0100-early')).not.toBe(sentEmail.threadId);
    await sendEvent('0100-early');
    expect(await reply('0100-early')).toBe(sentEmail.threadId);
  });

  test('with another subject starts a Thread of its own', async () => {
    await pipeline.submit();
    expect(await reply(pipeline.sender.sent[0]!.id, 'Dinner')).not.toBe(sentEmail.threadId);
  });
});
