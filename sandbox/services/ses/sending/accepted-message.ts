import type { ConfigurationSet } from './configuration-sets.ts';

/** A message that SES accepted for sending. */
export type Submission = {
  readonly messageId: string;
  readonly sentAt: Date;
  readonly region: string;
  /** The From value of the request: `Alice <alice@example.test>`. */
  readonly from: string;
  readonly fromAddress: string;
  /** MAIL FROM: the address for bounces. */
  readonly returnPath: string;
  readonly recipients: readonly string[];
  /** The verified identity that covers the sender. */
  readonly identity: string;
  /** The message as received from the caller, and as it is sent. */
  readonly original: Buffer;
  readonly message: Buffer;
  readonly tags: Readonly<Record<string, readonly string[]>>;
  readonly configurationSet?: ConfigurationSet;
};
