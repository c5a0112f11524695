import type { CustomMessageTriggerEvent } from 'aws-lambda';
import { parseEmailAddress } from '../../contract/values/mail-address.ts';
import { errorLogFields } from '../../core/runtime/error-log-fields.ts';
import type { Log } from '../../core/runtime/log.ts';

type Dependencies = {
  /** Whether the deployment receives mail for the domain of an address. */
  readonly receivesMail: (address: string) => Promise<boolean>;
  readonly log: Log;
};

/** The reasons why Cognito sends no message. The sign-in page shows them after "CustomMessage failed with error". */
export const messageRefusals = {
  receivedHere: 'Your sign-in address is a mailbox of this mail service, so no code or password is sent to it. To get a new password, ask an admin.',
  attribute: 'Nobody changes their own sign-in address. To change it, ask an admin.',
  unknown: 'The address could not be checked. Try again in a minute, or ask an admin.',
} as const;

/** The messages that verify a changed address. The event does not say which address gets the message. */
const attributeSources: readonly string[] = ['CustomMessage_UpdateUserAttribute', 'CustomMessage_VerifyUserAttribute'];

/**
 * Cognito's custom-message trigger, before each message with a code or a password: invitations, resets and changes of
 * attributes. It refuses messages to domains that this deployment receives. Otherwise everybody who can read the
 * mailbox could sign in as its owner: members, mail programs, headless clients, and recipients of an alias's copies.
 * @throws Error with the words for the person. Cognito then sends nothing, and its own call fails with
 * UserLambdaValidationException.
 */
export const refuseMailbox =
  ({ receivesMail, log }: Dependencies) =>
  async (event: CustomMessageTriggerEvent): Promise<CustomMessageTriggerEvent> => {
    const {
      triggerSource,
      request: {
        userAttributes: { email },
      },
    } = event;
    const refuse = (reason: string): never => {
      log.info('a message of the user pool was refused', { source: triggerSource, reason });
      throw new Error(reason);
    };
    if (attributeSources.includes(triggerSource)) return refuse(messageRefusals.attribute);
    // AWS administrators can set addresses that the admin API refuses, such as one with a dot at its end.
    const address = parseEmailAddress(email ?? '');
    if (address === undefined) return refuse(messageRefusals.unknown);
    const isReceived = await receivesMail(address).catch((failure: unknown) => {
      log.error('the domain of an address could not be read', errorLogFields(failure));
      return refuse(messageRefusals.unknown);
    });
    return isReceived ? refuse(messageRefusals.receivedHere) : event;
  };
