import { MailRefused, type Mail, type MailSender } from '../../core/aws/ses/ses-mail-sender.ts';

/** A message to SES's mailbox simulator. */
export const mailFrom = (from: string, more: Partial<Mail> = {}): Mail => ({
  submission_id: 'submission_1',
  part: 0,
  from,
  recipients: ['success@simulator.amazonses.com'],
  message_class: 'BULK',
  identity_id: 'dom_1',
  message: Buffer.from(`From: ${from}\r\nTo: somebody@elsewhere.test\r\nSubject: contract\r\n\r\nhello\r\n`),
  ...more,
});

/** The tests of the port {@link MailSender}. @param start returns a sender, and an address from which it may send. */
export const mailSenderSuite = (start: () => Promise<{ sender: MailSender; from: string }>): void => {
  test('accepts a message and returns its id, a new one each time', async () => {
    const { sender, from } = await start();
    const ids = [await sender.send(mailFrom(from)), await sender.send(mailFrom(from))];
    expect(ids).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
    expect(ids[0]).not.toBe(ids[1]);
  });

  test('refuses an unverified sender permanently', async () => {
    const { sender } = await start();
    await expect(sender.send(mailFrom('somebody@never-verified.test'))).rejects.toBeInstanceOf(MailRefused);
  });
};
