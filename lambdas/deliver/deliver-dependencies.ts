import type { SendLimits } from '../../contract/deployment/sending.ts';
import type { Addresses } from '../../core/directory/aliases/addresses.ts';
import type { Forwardings } from '../../core/directory/forwarding/forwardings.ts';
import type { GroupReceivers } from '../../core/directory/groups/group-receivers.ts';
import type { Groups } from '../../core/directory/groups/groups.ts';
import type { MailStore } from '../../core/mail/mail-store/mail-store.ts';
import type { Queue, ReturnToQueue } from '../../core/runtime/lambda/queue.ts';
import type { Objects } from '../../core/storage/objects.ts';
import type { BounceDependencies } from './bounces/bounce-task.ts';
import type { CopyMarks } from './copy-marks.ts';
import type { WithMessage } from './received/message-reader.ts';
import type { RecordDependencies } from './received/received-record.ts';
import type { VacationDependencies } from './vacation/send-vacation-response.ts';

export type DeliverDependencies = BounceDependencies &
  RecordDependencies & {
    readonly addresses: Pick<Addresses, 'resolveAll'>;
    readonly groupReceivers: GroupReceivers;
    readonly groups: Pick<Groups, 'find'>;
    readonly forwardings: Pick<Forwardings, 'find' | 'findAll' | 'newLink'>;
    readonly objects: Objects;
    readonly mailStore: Pick<MailStore, 'deliverAll' | 'quota'>;
    readonly vacation: VacationDependencies;
    readonly copyMarks: CopyMarks;
    /** The send limits of accounts without their own limits. */
    readonly sendLimits: SendLimits;
    /** Whether accounts may forward to addresses outside. */
    readonly mayForwardOutside: boolean;
    /** Seconds for which destroyed Emails can be restored; 0: they can't. */
    readonly recoverableSeconds: number;
    /** Base URL of the JMAP API, where addresses of forwarding are confirmed. */
    readonly jmapUrl: string;
    /** The address from which people are invited by SES. */
    readonly signInMailFrom: string;
    readonly returnToQueue: ReturnToQueue;
    /** The dead letters of the queue of received mail. */
    readonly deadLetters: Queue;
  };

/** The dependencies that the records of one batch share. */
export type BatchDependencies = DeliverDependencies & {
  readonly withMessage: WithMessage;
  /** Resolves addresses. One read resolves the addresses of all records. */
  readonly resolveAddresses: Addresses['resolveAll'];
  /** Finds the forwardings of accounts. One read finds those of all records, which may be of other accounts too. */
  readonly findForwardings: Forwardings['findAll'];
  /** Removes objects. One request removes the objects of messages that were delivered together. */
  readonly removeInbound: (keys: readonly string[]) => Promise<void>;
};
