import type { SendLimits } from '../../../contract/deployment/sending.ts';
import type { SendingRights } from '../../../core/directory/aliases/may-send.ts';
import type { Log } from '../../../core/runtime/log.ts';
import type { Objects } from '../../../core/storage/objects.ts';
import type { Submissions } from '../../../core/sending/submission/submissions.ts';
import type { SubmitQueue } from '../../../core/sending/submission/submit-queue.ts';

/** The dependencies of the methods of EmailSubmission, besides the mail store. */
export type SendingDependencies = {
  readonly submissions: Pick<Submissions, 'createWrites' | 'write' | 'index' | 'cancelWrites' | 'findAll'>;
  readonly rights: Pick<SendingRights, 'refusals'>;
  /** The bucket of the messages that are sent. */
  readonly objects: Pick<Objects, 'put' | 'remove'>;
  readonly queue: SubmitQueue;
  /** The send limits of accounts without their own limits. */
  readonly sendLimits: SendLimits;
  readonly log: Log;
};
