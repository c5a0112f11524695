import { referenceKey } from '../../../../core/mail/email/email-content.ts';
import { wireMessageId, wireReferences } from '../../../../core/sending/submission/wire-message-id.ts';
import { messageIdDomain } from '../../../../sandbox/services/ses/message/outgoing-message.ts';
import { newSubmission } from '../../../support/send-pipeline.ts';

const mailTable = { name: 'mail' };
const submission = {
  ...newSubmission(),
  undo_status: 'final',
  parts: 1,
  account_id: 'acc_1',
  thread_id: 'T1',
  header: 'Subject: Re: [list] Lunch\r\n',
  message_key: 'k',
} as const;

test('SES’s Message-ID is at email.amazonses.com in us-east-1, and at the region’s domain elsewhere', () => {
  expect(wireMessageId('0100-1', 'us-east-1')).toBe('0100-1@email.amazonses.com');
  expect(wireMessageId('0102-1', 'eu-west-1')).toBe('0102-1@eu-west-1.amazonses.com');
  for (const region of ['us-east-1', 'us-west-2', 'eu-central-1']) expect(wireMessageId('id', region)).toBe(`id@${messageIdDomain(region)}`);
});

test('each of SES’s ids refers to the Thread of the Email that was sent, with its base subject', () => {
  expect(wireReferences(submission, ['1', '2'], { region: 'us-east-1', mailTable })).toMatchObject(
    ['1', '2'].map((id) => ({ put: { ...referenceKey('acc_1', `${id}@email.amazonses.com`, 'lunch'), threadId: 'T1' }, inTable: mailTable })),
  );
});

test('mail without a Thread, such as a test mail, has no references', () => {
  expect(wireReferences({ ...submission, thread_id: undefined }, ['1'], { region: 'us-east-1', mailTable })).toEqual([]);
});
