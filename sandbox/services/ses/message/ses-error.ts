const statusOf = {
  AlreadyExistsException: 400,
  BadRequestException: 400,
  LimitExceededException: 400,
  MessageRejected: 400,
  SendingPausedException: 400,
  NotFoundException: 404,
  ConflictException: 409,
  TooManyRequestsException: 429,
  InternalServiceErrorException: 500,
} as const;

type SesErrorName = keyof typeof statusOf;

/** An error response of SES API v2; `name` is the name of the SDK's exception. */
export class SesError extends Error {
  override readonly name: SesErrorName;
  readonly status: number;
  constructor(name: SesErrorName, message: string) {
    super(message);
    this.name = name;
    this.status = statusOf[name];
  }
}

export const badRequest = (message: string): SesError => new SesError('BadRequestException', message);
export const notFound = (message: string): SesError => new SesError('NotFoundException', message);
