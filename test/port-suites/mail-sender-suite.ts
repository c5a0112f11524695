import { MailRefused, type Mail, type MailSender } from '../../core/aws/ses/mail-sender.ts';

/** A message to the simulator that the contract's sender may send. */
export const mailFrom = (from: string, more: Partial<Mail> = {}): Mail => ({
  submission_id: 'submission_1', part: 0, from, recipients: ['success@simulator.amazonses.com'], message_class: 'BULK', identity_id: 'dom_1',
  message: Buffer.from(`From: ${from}\r\nTo: somebody@elsewhere.test\r\nSubject: contract\r\n\r\nhello\r\n`), ...more,
});

/** The specification of the port to whom our mail is handed. @param sender with an address that it may send from. */
export const mailSenderSuite = (start: () => Promise<{ sender: MailSender; from: string }>): void => {
  test('takes a message and tells its id, another one each time', async () => {
    const { sender, from } = await start();
    const ids = [await sender.send(mailFrom(from)), await sender.send(mailFrom(from))];
    expect(ids).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
    expect(ids[0]).not.toBe(ids[1]);
  });

  test('refuses a sender that nobody verified, for good', async () => {
    const { sender } = await start();
    await expect(sender.send(mailFrom('somebody@never-verified.test'))).rejects.toBeInstanceOf(MailRefused);
  });
};
