import type { Addresses } from '../../core/directory/aliases/addresses.ts';
import type { MailStore } from '../../core/mail-types/mail-store/mail-store.ts';
import type { ReturnToQueue } from '../../core/runtime/lambda/queue.ts';
import type { Objects } from '../../core/storage/objects.ts';
import type { BounceDependencies } from './bounces/bounce-task.ts';
import type { WithMessage } from './received/raw-message.ts';
import type { VacationDependencies } from './vacation/vacation-response.ts';

export type DeliverDependencies = BounceDependencies & {
  readonly addresses: Pick<Addresses, 'resolve'>;
  readonly objects: Objects;
  readonly mailStore: Pick<MailStore, 'deliverAll' | 'quota'>;
  readonly vacation: VacationDependencies;
  readonly returnToQueue: ReturnToQueue;
};

/** The dependencies that the records of one batch share. */
export type BatchDependencies = DeliverDependencies & {
  readonly withMessage: WithMessage;
  /** The addresses of all records are one read. */
  readonly resolveAddresses: Addresses['resolve'];
  /** The objects of messages that were delivered together are one request. */
  readonly removeInbound: (keys: readonly string[]) => Promise<void>;
};
