import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { customResource, property, type CustomResourceAction, type CustomResourceEvent } from '../../../../core/runtime/lambda/custom-resource.ts';

type CloudFormationResponse = { readonly method: string; readonly contentType: string | undefined; readonly body: Record<string, unknown> };

let server: Server;
let responses: CloudFormationResponse[];
/** Status codes with which CloudFormation's server responds, in order; then 200. */
let answers: number[];

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

beforeEach(async () => {
  responses = [];
  answers = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    responses.push({
      method: request.method!,
      contentType: request.headers['content-type'],
      body: JSON.parse(await bodyOf(request)) as Record<string, unknown>,
    });
    response.writeHead(answers.shift() ?? 200).end();
  };
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});
afterEach(
  () =>
    new Promise((resolve) => {
      server.close(resolve);
    }),
);

const event = (more: Partial<CustomResourceEvent>): CustomResourceEvent => ({
  RequestType: 'Create',
  RequestId: 'request-1',
  StackId: 'stack-1',
  LogicalResourceId: 'Thing',
  ResponseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/answer`,
  ResourceProperties: { size: '3' },
  ...more,
});
const handle = (action: CustomResourceAction, more: Partial<CustomResourceEvent> = {}) => customResource('thing', action)(event(more));

describe('a custom resource', () => {
  test('sends CloudFormation the id and the data, without a content type, which the signed URL does not cover', async () => {
    await handle(async () => ({ physicalId: 'thing-1', data: { colour: 'red' } }));
    expect(responses).toEqual([
      {
        method: 'PUT',
        contentType: undefined,
        body: {
          Status: 'SUCCESS',
          PhysicalResourceId: 'thing-1',
          Data: { colour: 'red' },
          StackId: 'stack-1',
          RequestId: 'request-1',
          LogicalResourceId: 'Thing',
        },
      },
    ]);
  });

  test('sends the reason of a failure, which CloudFormation shows to the operator', async () => {
    await handle(
      async () => {
        throw new Error('the name is taken');
      },
      { RequestType: 'Update', PhysicalResourceId: 'thing-1' },
    );
    expect(responses[0]!.body).toMatchObject({ Status: 'FAILED', PhysicalResourceId: 'thing-1', Reason: 'the name is taken' });
  });

  test('keeps the response below the 4 KB that CloudFormation reads', async () => {
    await handle(async () => {
      throw new Error('x'.repeat(10_000));
    });
    expect(JSON.stringify(responses[0]!.body).length).toBeLessThan(4096);
  });

  test('succeeds without a call when CloudFormation deletes a resource whose creation failed', async () => {
    await handle(async () => {
      throw new Error('no');
    });
    const { PhysicalResourceId } = responses[0]!.body as { PhysicalResourceId: string };
    let deleted = false;
    await handle(
      async () => {
        deleted = true;
        return { physicalId: '' };
      },
      { RequestType: 'Delete', PhysicalResourceId },
    );
    expect(deleted).toBe(false);
    expect(responses[1]!.body).toMatchObject({ Status: 'SUCCESS', PhysicalResourceId });
  });

  test('sends the response again when CloudFormation responds with an error', async () => {
    answers = [503, 500];
    await handle(async () => ({ physicalId: 'thing-1' }));
    expect(responses.map(({ body }) => body['Status'])).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS']);
  });

  const denied = () => Object.assign(new Error('User … is not authorized to perform: ses:CreateReceiptRuleSet'), { name: 'AccessDeniedException' });

  test.each(['Create', 'Update'] as const)('is tried again at %s until IAM knows the policy of its role', async (RequestType) => {
    let calls = 0;
    const pauses: number[] = [];
    const action: CustomResourceAction = async () => {
      if (++calls < 4) throw denied();
      return { physicalId: 'thing-1' };
    };
    await customResource('thing', action, async (milliseconds) => {
      pauses.push(milliseconds);
    })(event({ RequestType, PhysicalResourceId: 'thing-1' }));
    expect(responses.map(({ body }) => body['Status'])).toEqual(['SUCCESS']);
    expect(pauses).toHaveLength(3);
  });

  test('fails with the denial after a minute, and at once when it is deleted or fails otherwise', async () => {
    const pausedFor = async (RequestType: CustomResourceEvent['RequestType'], error: Error) => {
      let paused = 0;
      await customResource(
        'thing',
        async () => {
          throw error;
        },
        async (milliseconds) => {
          paused += milliseconds;
        },
      )(event({ RequestType, PhysicalResourceId: 'thing-1' }));
      expect(responses.pop()!.body).toMatchObject({ Status: 'FAILED', Reason: error.message });
      return paused;
    };
    expect(await pausedFor('Create', denied())).toBe(60_000);
    expect(await pausedFor('Delete', denied())).toBe(0);
    expect(await pausedFor('Create', new Error('the name is taken'))).toBe(0);
  });

  test('names a property that the template does not set', async () => {
    await handle(async (event) => ({ physicalId: property(event, 'colour') }));
    expect(responses[0]!.body).toMatchObject({ Status: 'FAILED', Reason: 'the property colour is missing' });
    expect(property(event({}), 'size')).toBe('3');
  });
});
