import { handler } from '../../../lambdas/registration/index.ts';

test('while registration is off it answers 404 with an RFC 7591 error that says what to do', async () => {
  const { statusCode, headers, body } = await handler();
  expect([statusCode, headers?.['content-type']]).toEqual([404, 'application/json']);
  expect(JSON.parse(body!)).toEqual({ error: 'invalid_client_metadata', error_description: expect.stringContaining('operator') as string });
});
