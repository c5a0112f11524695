import MailComposer from 'nodemailer/lib/mail-composer';
import type { TestEmailType } from '../../../contract/admin/domains.ts';

const purposes: { readonly [Type in TestEmailType]: string } = {
  NORMAL: 'If you can read it, mail from this address arrives.',
  BOUNCE: 'SES\'s mailbox simulator answers it with a bounce.',
  COMPLAINT: 'SES\'s mailbox simulator answers it with a complaint.',
  OOTO: 'SES\'s mailbox simulator answers it as somebody who is out of the office.',
};

/** A raw message (RFC 5322) that says that it is a test. It asks for no automatic answers (RFC 3834 §5). */
export const testMessage = ({ from, to, type, date }: { from: string; to: string; type: TestEmailType; date: Date }): Promise<Buffer> => new MailComposer({
  from,
  to,
  date,
  subject: `Postrider test mail from ${from}`,
  text: `This is a test mail that an operator of ${from.slice(from.lastIndexOf('@') + 1)} sent through Postrider.\n${purposes[type]}\n`,
  headers: { 'Auto-Submitted': 'auto-generated' },
}).compile().build();
