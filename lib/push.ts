import { Duration } from 'aws-cdk-lib';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { WorkQueue } from './work-queue.ts';

/** How long the web-push Lambda may take for a batch. */
export const webPushTimeout = Duration.seconds(30);

/** What tells clients of changes. */
export class Push extends Construct {
  /** Pushes wait here for the web-push Lambda, as references: what is sent is read at the time of sending. */
  readonly webPushes: WorkQueue;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.webPushes = new WorkQueue(this, 'WebPushes', { holds: 'a push for Web Push', consumerTimeout: webPushTimeout });
  }

  /** Putting a push into the queue. */
  grantWebPush(grantee: IGrantable): void {
    this.webPushes.queue.grant(grantee, 'sqs:SendMessage');
  }
}
