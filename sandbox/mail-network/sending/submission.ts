import type { ConfigurationSet } from './configuration-sets.ts';

/** A message that SES accepted for sending. */
export type Submission = {
  readonly messageId: string;
  readonly sentAt: Date;
  readonly region: string;
  /** As the sender wrote it: `Alice <alice@example.test>`. */
  readonly from: string;
  readonly fromAddress: string;
  /** MAIL FROM: where bounces would go. */
  readonly returnPath: string;
  readonly recipients: readonly string[];
  /** The verified identity that vouches for it. */
  readonly identity: string;
  /** As it came, and as it leaves. */
  readonly original: Buffer;
  readonly message: Buffer;
  readonly tags: Readonly<Record<string, readonly string[]>>;
  readonly configurationSet?: ConfigurationSet;
};
