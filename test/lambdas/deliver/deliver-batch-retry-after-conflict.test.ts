import type { SQSEvent } from 'aws-lambda';
import { StoreConflict } from '../../../core/runtime/domain-errors.ts';
import { deliverDeploymentPerTest } from './deliver-deployment.ts';

const mail = deliverDeploymentPerTest();
let returned: [receiptHandle: string, seconds: number][];
beforeEach(() => {
  returned = [];
});

const busy = {
  deliverAll: async () => {
    throw new StoreConflict();
  },
};
const throttled = {
  deliverAll: async () => {
    throw Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
  },
};
const broken = {
  deliverAll: async () => {
    throw new TypeError('a fault of ours');
  },
};

/** Delivers a message whose attempt `receiveCount` fails. @returns whether the record returns to the queue. */
const fail = async (mailStore: typeof busy, receiveCount: number): Promise<boolean> => {
  const body = await mail.arrive('ses-1', 'Subject: Hi\r\n\r\nHello', ['alice@example.test']);
  const record = { messageId: '0', receiptHandle: 'handle', body, attributes: { ApproximateReceiveCount: String(receiveCount) } };
  const failed = await mail.deliverRecords({ Records: [record] } as unknown as SQSEvent, {
    mailStore,
    returnToQueue: async (receiptHandle, seconds) => {
      returned.push([receiptHandle, seconds]);
    },
  });
  return failed.length === 1;
};

describe('a delivery that lost every race', () => {
  test.each([
    [1, 2, 4],
    [2, 8, 15],
    [3, 30, 60],
  ])('returns to the queue after seconds: attempt %i', async (attempt, atLeast, atMost) => {
    expect(await fail(busy, attempt)).toBe(true);
    expect(returned).toEqual([['handle', expect.any(Number)]]);
    expect(returned[0]![1]).toBeGreaterThanOrEqual(atLeast);
    expect(returned[0]![1]).toBeLessThanOrEqual(atMost);
  });

  test('waits for the visibility timeout after three attempts, so that an outage does not use up all attempts', async () => {
    expect(await fail(busy, 4)).toBe(true);
    expect(returned).toEqual([]);
  });

  test('returns to the queue when its visibility cannot be changed', async () => {
    const body = await mail.arrive('ses-1', 'Subject: Hi\r\n\r\nHello', ['alice@example.test']);
    const unreachable = async () => {
      throw new Error('SQS is not reachable');
    };
    expect(await mail.deliver([body], { mailStore: busy, returnToQueue: unreachable })).toEqual([0]);
  });
});

test('a delivery refused by a busy service returns to the queue after seconds, after a defect of the code later', async () => {
  expect(await fail(throttled, 1)).toBe(true);
  expect(returned).toHaveLength(1);
  expect(await fail(broken, 1)).toBe(true);
  expect(returned).toHaveLength(1);
});
