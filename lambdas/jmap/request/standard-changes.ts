import { coreLimits, unadvertisedLimits } from '../../../contract/jmap/core.ts';
import type { RecordType, VerbArguments } from '../../../contract/jmap/record.ts';
import { idsThatFit } from './api-response.ts';
import type { ChangesBehaviour } from './behaviour.ts';
import { MethodError } from './jmap-errors.ts';
import type { MethodHandler } from './method.ts';

/**
 * The verb /changes (RFC 8620 §5.2). Without maxChanges it returns at most as many ids as a /get accepts, so that a
 * /get with a result reference to these ids never exceeds the limit.
 * @throws MethodError cannotCalculateChanges for an unknown state, or one older than the stored log.
 */
export const changes =
  (type: RecordType, behaviour: ChangesBehaviour): MethodHandler<VerbArguments<'changes'>> =>
  async (args, account, context) => {
    if (args.maxChanges === 0) throw new MethodError('invalidArguments', '"maxChanges" must be greater than 0.');
    const maxIds = Math.min(args.maxChanges ?? coreLimits.maxObjectsInGet, unadvertisedLimits.maxIdsInChanges, idsThatFit(context.responseRoom));
    const changed = await context.dependencies.store.changes(account.view, type.name, args.sinceState, maxIds, account.member);
    if (!changed) {
      throw new MethodError('cannotCalculateChanges', '"sinceState" is not a state of this type, or is too old. Fetch all records again.');
    }
    return {
      accountId: account.accountId,
      oldState: args.sinceState,
      newState: changed.newState,
      hasMoreChanges: changed.hasMoreChanges,
      created: changed.created,
      updated: changed.updated,
      destroyed: changed.destroyed,
      ...behaviour.additionalProperties?.(changed),
    };
  };
