import { MailRefused } from '../../core/aws/ses/ses-mail-sender.ts';
import type { SystemMail, SystemMailSender } from '../../core/aws/ses/ses-system-mail.ts';

/** The tests of the port {@link SystemMailSender}. @param start returns a sender, and an address from which it may send. */
export const systemMailSuite = (start: () => Promise<{ sender: SystemMailSender; from: string }>): void => {
  const mail = (from: string): SystemMail => ({
    from,
    to: 'success@simulator.amazonses.com',
    replyTo: 'ada@elsewhere.test',
    subject: 'Grüße',
    text: 'Grüße\n',
    html: '<p>Grüße</p>',
  });

  test('accepts a mail, and the same one again', async () => {
    const { sender, from } = await start();
    for (const _ of [1, 2]) await sender.send(mail(from));
  });

  test('refuses a sender that is not verified permanently, in words without an address', async () => {
    const { sender } = await start();
    const sending = sender.send(mail('somebody@never-verified.test'));
    await expect(sending).rejects.toBeInstanceOf(MailRefused);
    await expect(sending).rejects.toMatchObject({ message: expect.not.stringContaining('@') as string });
  });
};
