import { problemType, type MethodErrorType, type Problem, type RequestLimit } from '../../../contract/jmap/core.ts';
import { RecordRefused } from '../../../core/account-log/records/record-refused.ts';

/** Thrown when a whole request fails. It becomes problem details (RFC 8620 §3.6.1). */
export class RequestProblem extends Error {
  override readonly name = 'RequestProblem';
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** Creates RequestProblems by type. `plain` has no JMAP type: `about:blank`. */
export const requestProblem = {
  notJSON: (detail: string) => new RequestProblem({ type: problemType.notJSON, status: 400, detail }),
  notRequest: (detail: string) => new RequestProblem({ type: problemType.notRequest, status: 400, detail }),
  unknownCapability: (detail: string) => new RequestProblem({ type: problemType.unknownCapability, status: 400, detail }),
  limit: (limit: RequestLimit, detail: string) => new RequestProblem({ type: problemType.limit, status: 400, limit, detail }),
  plain: (status: number, detail: string) => new RequestProblem({ type: 'about:blank', status, detail }),
};

/** Thrown when one method call fails. The other calls of the request are performed (RFC 8620 §3.6.2). */
export class MethodError extends Error {
  override readonly name = 'MethodError';
  readonly type: MethodErrorType;
  readonly description: string | undefined;
  constructor(type: MethodErrorType, description?: string) {
    super(description ?? type);
    this.type = type;
    this.description = description;
  }
}

/** Thrown when the change of one record in a /set fails. The other changes are still made (RFC 8620 §5.3). */
export class SetError extends RecordRefused {
  override readonly name = 'SetError';

  /** The SetError object for `notCreated`, `notUpdated` and `notDestroyed`. */
  toJSON() {
    return { type: this.type, description: this.description, properties: this.properties, ...this.details };
  }
}
