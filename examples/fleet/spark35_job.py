"""Time of each op over many captures on Spark 3.5, which has no data sources in Python: URIs are mapped to batches.

    spark-submit spark35_job.py s3://bucket/captures
"""
import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import from_arrow_schema

from profkit import fleet

spark = SparkSession.builder.appName("profkit").getOrCreate()
ops = fleet.scan([], "ops", columns=["host", "name", "category", "self_ps", "count"])
captures = spark.createDataFrame([(one.uri,) for one in fleet.captures(sys.argv[1])], "uri string")
rows = captures.repartition(2 * spark.sparkContext.defaultParallelism).mapInArrow(ops.read_uris, from_arrow_schema(ops.schema)).cache()
print(rows.select("uri").distinct().count(), "captures,", rows.where("error is not null").count(), "of them not to the end")
for row in rows.where("error is null").groupBy("name").agg(f.sum("self_ps").alias("ps")).orderBy(f.desc("ps"), "name").take(5):
    print(row["ps"], row["name"])
