/** Something that happened to mail, for the log of whoever runs the network. */
export type MailEvent = {
  /** `received` through the door, `refused` by it, `sent` by SES's API, `failed`: what should have worked and did not. */
  readonly kind: 'received' | 'refused' | 'sent' | 'failed';
  readonly from: string;
  readonly to: readonly string[];
  readonly messageId?: string;
  readonly subject?: string;
  /** Why, in words. */
  readonly reason?: string;
};

export type Tell = (event: MailEvent) => void;
